from dynid.recording.sequence import SequenceCheck


def check_of(numbers):
    check = SequenceCheck()
    for number in numbers:
        check.add(number)
    return check


def test_counts_every_missing_number():
    assert check_of([7, 8, 11, 12, 14]).missing == 3


def test_counts_nothing_before_the_first_number():
    assert check_of([500, 501]).missing == 0


def test_a_smaller_number_belongs_to_a_new_publisher():
    assert check_of([7, 8, 1, 2, 4]).missing == 1


def test_any_number_may_follow_a_restart():
    check = check_of([7, 8])
    check.restart()
    check.add(100)
    assert check.missing == 0
