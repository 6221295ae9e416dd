# Reads the output of `swift test`, prints what failed, and counts test cases: a parameterised test counts once for each
# of its arguments. `file` names the one of the output.

# A case counts as broken once, even with several issues. The text before " at File.swift:1:2" names test and argument.
/ recorded an issue / {
    print
    name = $0
    sub(/ at [^ ]+\.swift:.*/, "", name)
    if (!(name in broken)) { broken[name]; failed += 1 }
    next
}

# "Test one() passed after ..." and "Test many(_:) with 300 test cases failed after ..."
/^[^ ]+ Test .* (passed|failed) after / && !/ Test run with / {
    cases += match($0, / with [0-9]+ test cases? (passed|failed) after /) ? substr($0, RSTART + 6) + 0 : 1
    if ($0 ~ / failed after /) print
    next
}

/ Test run with / { isComplete = 1; print; next }
/^[^ ]+ Test .* skipped/ { print; next }
/^↳ (Testing Library Version|Target Platform)/ { next }
/^↳/ || /error: / || /[Ff]atal error/ { print }

END {
    # If the last line is missing, the run crashed, and the counts say nothing.
    if (!isComplete) { print "the tests did not finish, see " file; failed += 1; cases += 1 }
    printf "tests: %d passed, %d failed\n", cases - failed, failed
    exit failed > 0
}
