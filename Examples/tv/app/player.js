/**
 * Plays a clip as an HLS player does: the playlist, the beginning, then one segment after the other.
 *
 * nginx asks the gateway about each of these files. The playback session is in a cookie, or it is the query parameter
 * `session`. In production this is a player library or the platform's own player.
 */

const TYPE = 'video/mp4; codecs="avc1.42C01E"';
/** So many seconds are loaded in advance; the rest is asked for while the clip plays. */
const AHEAD = 6;

export class Player {
  /**
   * @param video the element to play in
   * @param onFile is told of each file: its address and the status of the answer
   */
  constructor(video, onFile = () => {}) {
    this.video = video;
    this.onFile = onFile;
  }

  /**
   * Plays a clip, and returns when all of it is loaded, or after {@link stop}.
   *
   * @param folder the address of the clip, with a slash at the end
   * @param session the playback session, if it is not in a cookie
   * @throws Error with a `status` if a file is refused
   */
  async play(folder, session = null) {
    this.stop();
    const stopper = (this.stopper = new AbortController());
    const load = (file) => this.#load(folder + file, session, stopper.signal);
    try {
      if (!window.MediaSource?.isTypeSupported(TYPE)) throw new Error("This browser cannot play H.264 video.");
      const { beginning, segments } = playlist(new TextDecoder().decode(await load("index.m3u8")));
      const buffer = await this.#open(stopper.signal);
      await append(buffer, await load(beginning), stopper.signal);
      for (const segment of segments) {
        await this.#whileAhead(stopper.signal);
        await append(buffer, await load(segment), stopper.signal);
        // Only now is there something to play; a browser that refuses to start by itself shows its own button.
        if (this.video.paused && segment === segments[0]) this.video.play().catch(() => {});
      }
      this.source.endOfStream();
    } catch (error) {
      if (stopper.signal.aborted) return;
      this.stop();
      throw error;
    }
  }

  /** Stops, and asks for nothing more. */
  stop() {
    this.stopper?.abort();
    this.stopper = null;
    if (!this.source) return;
    this.source = null;
    this.video.pause();
    URL.revokeObjectURL(this.video.src);
    this.video.removeAttribute("src");
    this.video.load();
  }

  async #open(signal) {
    this.source = new MediaSource();
    const opened = event(this.source, "sourceopen", signal);
    this.video.src = URL.createObjectURL(this.source);
    await opened;
    return this.source.addSourceBuffer(TYPE);
  }

  async #load(path, session, signal) {
    const query = session ? `?session=${encodeURIComponent(session)}` : "";
    const answer = await fetch(path + query, { signal, credentials: session ? "omit" : "same-origin" });
    this.onFile(path, answer.status);
    if (!answer.ok) throw Object.assign(new Error(`${path} was refused (${answer.status}).`), { status: answer.status });
    return answer.arrayBuffer();
  }

  /** Waits until less than {@link AHEAD} seconds are loaded in advance. */
  async #whileAhead(signal) {
    const { video } = this;
    while (video.buffered.length && video.buffered.end(0) - video.currentTime > AHEAD) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      signal.throwIfAborted();
    }
  }
}

async function append(buffer, bytes, signal) {
  const done = event(buffer, "updateend", signal);
  buffer.appendBuffer(bytes);
  await done;
}

/** Waits for an event; fails if there is an error instead, or if it is aborted. */
function event(target, name, signal) {
  return new Promise((resolve, reject) => {
    const ending = { once: true };
    target.addEventListener(name, resolve, ending);
    target.addEventListener("error", () => reject(new Error("The video is broken.")), ending);
    signal.addEventListener("abort", () => reject(signal.reason), ending);
  });
}

/** The files of a playlist (RFC 8216): what `EXT-X-MAP` names, and the lines that are not comments. */
function playlist(text) {
  const lines = text.split(/\r?\n/);
  const beginning = /^#EXT-X-MAP:.*URI="([^"]+)"/m.exec(text)?.[1];
  const segments = lines.filter((line) => line && !line.startsWith("#"));
  if (lines[0] !== "#EXTM3U" || !beginning || !segments.length) throw new Error("The playlist is broken.");
  return { beginning, segments };
}
