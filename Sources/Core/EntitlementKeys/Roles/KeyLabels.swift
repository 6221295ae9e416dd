/// The last part of a path; a name without slashes as it is.
func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}

/// The label of a key: its file's name, with `#2`, `#3` … for further keys of one file.
func numberedLabel(of path: String, number: Int) -> String {
    number == 1 ? fileName(of: path) : "\(fileName(of: path))#\(number)"
}

/// Makes the labels of different keys distinct: by their paths and, if those are the same too, by a number.
func distinctLabels(_ keys: [(label: String, source: String)]) -> [String] {
    var labels: [String] = []
    for (label, source) in keys {
        let isShared = keys.count { $0.label == label } > 1
        let number = label.dropFirst(fileName(of: source).count)
        let wanted = isShared ? source + number : label
        var candidate = wanted
        var count = 1
        while labels.contains(candidate) {
            count += 1
            candidate = "\(wanted)#\(count)"
        }
        labels.append(candidate)
    }
    return labels
}
