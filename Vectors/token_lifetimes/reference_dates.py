"""The dates of AuthN and AuthZ tokens: one fixed form, read without a calendar library. For tests only."""

import re

FORM = re.compile(
    r"([0-9]{4})/([0-9]{2})/([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2})[ _]GMT ([+-])([0-9]{2})([0-9]{2})"
)
LONGEST_OFFSET = 14 * 60


def instant(text):
    """Milliseconds since 1970, or None if the text is not such a date."""
    found = FORM.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, offset_hours, offset_minutes = (
        int(found[index]) for index in (1, 2, 3, 4, 5, 6, 8, 9)
    )
    offset = offset_hours * 60 + offset_minutes
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= days_in(month, year):
        return None
    if hour > 23 or minute > 59 or second > 59 or offset_minutes > 59 or offset > LONGEST_OFFSET:
        return None
    if found[7] == "-":
        offset = -offset
    minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset
    return (minutes * 60 + second) * 1000


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(month, year):
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_since_1970(year, month, day):
    return days_before(year) - days_before(1970) + sum(days_in(earlier, year) for earlier in range(1, month)) + day - 1


def days_before(year):
    """Days of all years from 1 on before this one."""
    whole = year - 1
    return whole * 365 + whole // 4 - whole // 100 + whole // 400
