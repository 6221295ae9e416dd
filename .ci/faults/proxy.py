"""A TCP proxy that makes a server distant, slow, silent or gone."""

import asyncio
import random
import socket
import struct
import threading


class Proxy:
    """Passes bytes on to a port of this machine, after a while. Its settings may be changed at any time.

    `trip` is the time of a round trip in seconds, to which up to `jitter` is added. While `is_silent`, nothing is passed
    on and no connection is ended; what was on its way then is lost, and so is all that follows on these connections.
    """

    def __init__(self, target, trip=0, jitter=0):
        self.target, self.trip, self.jitter, self.is_silent = target, trip, jitter, False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.chance, self.streams, self.ways = random.Random(11), set(), set()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def address(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_server(self._accept, sock=self.listener))
        self.loop.run_forever()

    async def _accept(self, reader, writer):
        self.streams.add(writer)
        try:
            # The handshake takes a round trip as well.
            await asyncio.sleep(self.trip)
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return self._end(writer)
        self.streams.add(far_writer)
        state = {"is_dead": self.is_silent}
        ways = asyncio.gather(self._pass(reader, far_writer, state), self._pass(far_reader, writer, state))
        # The loop keeps no task alive by itself.
        self.ways.add(ways)
        await ways
        self.ways.discard(ways)

    async def _pass(self, reader, writer, state):
        """Reads one way, and writes each piece when its time has come, in order."""
        pieces = asyncio.Queue()

        async def write():
            while True:
                due, data = await pieces.get()
                await asyncio.sleep(due - self.loop.time())
                state["is_dead"] |= self.is_silent
                if not state["is_dead"]:
                    writer.write(data) if data else self._end(writer)
                if not data:
                    return

        writing, last = asyncio.ensure_future(write()), 0
        try:
            data = b"-"
            while data:
                data = await reader.read(65536)
                last = max(last, self.loop.time() + (self.trip + self.chance.random() * self.jitter) / 2)
                pieces.put_nowait((last, data))
        except OSError:
            pieces.put_nowait((0, b""))
        await writing

    def _end(self, writer):
        self.streams.discard(writer)
        writer.close()

    def cut(self):
        """Resets all connections."""
        def reset():
            for writer in list(self.streams):
                handle = writer.get_extra_info("socket")
                if handle is not None and handle.fileno() >= 0:
                    handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            self.streams.clear()

        self.loop.call_soon_threadsafe(reset)
