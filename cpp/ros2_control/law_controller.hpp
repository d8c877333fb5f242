#pragma once

#include <atomic>
#include <controller_interface/chainable_controller_interface.hpp>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <dynid/feedforward_controller_parameters.hpp>
#include <memory>
#include <optional>
#include <realtime_tools/realtime_thread_safe_box.hpp>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <thread>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <vector>

#include "controller_report.hpp"
#include "drive_link.hpp"
#include "dynid/control_law.hpp"
#include "dynid/cycle_counter.hpp"
#include "law_parameters.hpp"
#include "model_handover.hpp"
#include "model_parameters.hpp"
#include "model_update_link.hpp"
#include "state_publisher.hpp"

namespace dynid
{

/// What the ros2_control plugins FeedforwardController and TorqueController share: parameters,
/// models, references from a trajectory controller or the topic ~/reference, feedback, topics and
/// services around a control law, which they own.
class LawController : public controller_interface::ChainableControllerInterface
{
public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using return_type = controller_interface::return_type;
  using InterfaceConfiguration = controller_interface::InterfaceConfiguration;

  ~LawController() override;

  /// Accepts all parameters of a model.yaml, also those that it does not read.
  [[nodiscard]] rclcpp::NodeOptions define_custom_node_options() const override;
  CallbackReturn on_init() override;
  InterfaceConfiguration command_interface_configuration() const override;
  InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & previous) override;

protected:
  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list()
    override;
  bool on_set_chained_mode(bool chained) override;
  return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

  // What depends on the law. Of these make_law() may throw std::invalid_argument; all others are
  // for control cycles as well: no allocation, lock or exception.

  /// Kinds of the command interfaces, each claimed for all joints.
  [[nodiscard]] virtual std::vector<const char *> command_kinds() const = 0;
  virtual void make_law(Eigen::Index joints) = 0;
  /// Starts at the feedback; false, and then explained by a message, where that is impossible.
  virtual bool start_law() = 0;
  virtual void apply(const LawRequest & request) noexcept = 0;
  virtual void use(ControlModel * model, const Payload & payload) noexcept = 0;
  virtual void run_law(double cycles) noexcept = 0;
  virtual ResetReport reset_law() noexcept = 0;
  [[nodiscard]] virtual const ControlLaw & law() const noexcept = 0;
  [[nodiscard]] virtual const Eigen::VectorXd & torque_command() const noexcept = 0;
  virtual void write_commands() noexcept = 0;
  /// Writes what remains when no cycles follow.
  virtual void write_last_commands() noexcept = 0;

  void take_requests() noexcept;
  void write(std::size_t interface, double value) noexcept;

  feedforward_controller::Params params_;  // as configured
  double rate_ = 0.0;                      // control cycles per second [Hz]
  std::unique_ptr<DriveLink> drives_;      // where there are status words
  Reference reference_;
  Feedback feedback_;
  std::optional<int> drive_cycles_;  // since the last update, where the drives count them

private:
  using JointState = sensor_msgs::msg::JointState;
  using DiagnosticStatus = diagnostic_msgs::msg::DiagnosticStatus;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;
  using JointTrajectory = trajectory_msgs::msg::JointTrajectory;
  using Trigger = std_srvs::srv::Trigger;

  struct Request
  {
    LawRequest law;
    std::uint64_t number = 0;
  };
  struct TopicReference
  {
    Reference reference;
    std::int64_t time = 0;  // of its arrival [ns]
  };
  /// The model of parameters that are about to be set.
  struct Candidate
  {
    std::unique_ptr<ControlModel> model;
    std::unique_ptr<ModelUpdateCheck> check;  // where updates are enabled
    JointNames joints;
    ModelParameters parameters;
    std::string name;
    bool sealed = true;
  };
  enum class Reset
  {
    none,
    requested,
    answered
  };

  [[nodiscard]] InterfaceConfiguration interfaces(const std::vector<const char *> & kinds) const;

  // outside the control cycle
  void watch_parameters();
  [[nodiscard]] std::unique_ptr<ModelUpdateCheck> make_update_check(
    const StoredModel & stored) const;
  void configure_updates();
  void make_topics();
  void request_update(const LawRequest & law);
  rcl_interfaces::msg::SetParametersResult validate_parameters(
    const std::vector<rclcpp::Parameter> & changed);
  void apply_parameters(const std::vector<rclcpp::Parameter> & changed);
  [[nodiscard]] Eigen::VectorXd smoothing() const;
  [[nodiscard]] Candidate make_model(const std::vector<rclcpp::Parameter> & changed) const;
  void on_reference(const JointTrajectory & message);
  void reset(const Trigger::Request & request, Trigger::Response & response);
  void on_model_update(const std_msgs::msg::Float64MultiArray & message);
  void publish_status();
  void publish_model_updates(const ModelUpdatesReport & report);

  // in the control cycle
  [[nodiscard]] DriveInterfaces drive_interfaces() const;
  void take_reset() noexcept;
  void read_references() noexcept;
  void read_feedback() noexcept;
  void read_links() noexcept;
  void read_drive_cycles() noexcept;
  void report(const rclcpp::Time & time) noexcept;
  void publish_state(const rclcpp::Time & time) noexcept;

  std::shared_ptr<feedforward_controller::ParamListener> listener_;
  JointNames joints_;
  Eigen::VectorXd effort_factor_;
  std::vector<std::size_t> gears_;  // joints whose gears' torque is compared

  std::atomic<std::thread::id> cycle_thread_{};
  std::uint64_t failed_writes_ = 0;
  CycleTimes cycle_times_;
  CycleCounter counter_;  // of the drives
  std::int64_t collision_time_ = 0;
  double since_published_ = 0.0;  // [cycles]
  double publish_period_ = 0.0;   // [cycles]

  ModelParameters model_parameters_;  // of the model in use, or of one refused at the start
  std::string refusal_;               // error of the model in the parameter file
  Candidate candidate_;
  ModelHandover models_;
  ControlModel * used_model_ = nullptr;
  Payload payload_;
  std::unique_ptr<ModelUpdateLink> updates_;  // where they are enabled
  std::string refused_update_;                // why the last update was refused, or empty
  std::uint64_t refused_updates_ = 0;
  std::string model_name_;
  std::string supervision_;  // where torque is supervised
  realtime_tools::RealtimeThreadSafeBox<Request> requests_;
  std::atomic<std::uint64_t> newest_request_{0};  // number of the newest: cheaper to read
  std::uint64_t taken_request_ = 0;
  realtime_tools::RealtimeThreadSafeBox<TopicReference> topic_reference_;
  std::int64_t reference_time_ = 0;  // of the reference in use [ns]
  realtime_tools::RealtimeThreadSafeBox<ControllerStatus> status_;
  std::atomic<Reset> reset_{Reset::none};
  ResetReport reset_report_;

  std::unique_ptr<StatePublisher> state_out_;
  rclcpp::Publisher<DiagnosticStatus>::SharedPtr collision_out_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_out_;
  rclcpp::Subscription<JointTrajectory>::SharedPtr reference_in_;
  rclcpp::Subscription<std_msgs::msg::Float64MultiArray>::SharedPtr updates_in_;
  rclcpp::Publisher<DiagnosticStatus>::SharedPtr updates_out_;
  rclcpp::Service<Trigger>::SharedPtr reset_service_;
  rclcpp::TimerBase::SharedPtr timer_;
  DiagnosticStatus published_collision_;
  DiagnosticStatus published_updates_;
  std::string published_health_;
  int ticks_ = 0;  // of the timer since /diagnostics
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr validate_handle_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr apply_handle_;
};

}  // namespace dynid
