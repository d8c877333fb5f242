from dynid.recording.sequence import SequenceCheck


def check_of(numbers):
    check = SequenceCheck()
    for number in numbers:
        check.add(number)
    return check


def test_counts_every_number_in_every_hole():
    assert check_of([7, 8, 11, 12, 14]).missing == 3


def test_does_not_know_what_was_before_the_first():
    assert check_of([500, 501]).missing == 0


def test_a_smaller_number_is_of_a_new_publisher_and_no_loss():
    assert check_of([7, 8, 1, 2, 4]).missing == 1


def test_after_a_restart_any_number_may_come():
    check = check_of([7, 8])
    check.restart()
    check.add(100)
    assert check.missing == 0
