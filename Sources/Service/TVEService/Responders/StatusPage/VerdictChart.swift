#if Service
import MediaTokens

/// A chart of verdicts over time: one stacked bar for each minute of the last hour.
struct VerdictChart {
    private static let width = 960
    private static let height = 200
    private static let bars = 60

    let html: String

    init(_ samples: [StatusHistory.Sample]) {
        let perBar = 6
        // From the newest sample backwards, so that the newest bar, on the right, is always complete.
        var bars: [[Int]] = []
        var end = samples.count
        while end > 0 {
            let start = max(0, end - perBar)
            bars.append(
                MediaTokenStatus.allCases.indices.map { status in
                    samples[start..<end].reduce(0) { $0 + $1.counts[status] }
                })
            end = start
        }
        let highest = max(bars.map { $0.reduce(0, +) }.max() ?? 0, 1)
        let step = Self.width / Self.bars
        var shapes = ""
        for (age, counts) in bars.enumerated() {
            var top = Double(Self.height)
            for (status, count) in zip(MediaTokenStatus.allCases, counts) where count > 0 {
                let size = Double(count) / Double(highest) * Double(Self.height)
                top -= size
                shapes +=
                    "<rect x=\"\(Self.width - (age + 1) * step)\" y=\"\(top)\" width=\"\(step - 2)\" height=\"\(size)\" "
                    + "fill=\"\(Self.color(of: status))\"><title>\(status.rawValue): \(count)</title></rect>"
            }
        }
        // The labels are no part of the picture, so that they keep their size when it is narrow.
        html = """
            <svg id="verdicts" role="img" aria-label="Verdicts by status, one bar for each minute of the last hour" \
            viewBox="0 0 \(Self.width) \(Self.height)" preserveAspectRatio="none">\(shapes)</svg>
            <p class="axis quiet"><span>an hour ago</span> <span>up to \(highest) a minute</span> <span>now</span></p>
            """
    }

    static func color(of status: MediaTokenStatus) -> String {
        switch status {
        case .validToken: "#2da44e"
        case .tokenExpired: "#d4a72c"
        case .tokenNotYetValid: "#bf8700"
        case .tokenReplayed: "#8250df"
        case .invalidResourceID: "#0969da"
        case .invalidRequestorID: "#54aeff"
        case .invalidSignature: "#cf222e"
        case .invalidTokenFormat: "#953800"
        case .errorUnknown: "#57606a"
        }
    }
}
#endif
