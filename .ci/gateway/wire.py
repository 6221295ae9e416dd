"""HTTP for many clients at once: one connection for each, from an address of its own, and no answer is repeated unseen."""

import asyncio
import urllib.parse

# Longer than any long poll.
TIME_LIMIT = 60


class Lost(Exception):
    """The connection ended before the answer: what was asked for may have been done or not."""


class Away(Lost):
    """Nothing listens there, so nothing was asked for."""


class Answer:
    """One answer."""

    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def field(self, name):
        """The first header field of a name; `None` if there is none."""
        return next((value for key, value in self.fields if key == name), None)

    @property
    def cookies(self):
        """The cookies that are set, by their names."""
        return dict(value.split(";")[0].split("=", 1) for key, value in self.fields if key == "set-cookie")


class Connection:
    """A connection to one server, which is opened when it is needed and kept."""

    def __init__(self, address, authority=None, source=None):
        parts = urllib.parse.urlsplit(address)
        self.host, self.port, self.name = parts.hostname, parts.port, parts.netloc
        self.authority = authority if parts.scheme == "https" else None
        self.source = source
        self.streams = None

    async def ask(self, method, path, headers=None, body=None):
        """Sends one request, once."""
        try:
            return await asyncio.wait_for(self._ask(method, path, headers or {}, body), TIME_LIMIT)
        except ConnectionRefusedError:
            raise Away(f"{method} {path.split('?')[0]}: nothing listens") from None
        except (OSError, EOFError, asyncio.TimeoutError) as error:
            self.close()
            raise Lost(f"{method} {path.split('?')[0]}: {type(error).__name__}") from None
        except asyncio.CancelledError:
            # An answer that comes late must not be taken for that of the next request.
            self.close()
            raise

    async def _ask(self, method, path, headers, body):
        if self.streams and self.streams[0].at_eof():
            self.close()
        if not self.streams:
            local = (self.source, 0) if self.source else None
            self.streams = await asyncio.open_connection(self.host, self.port, ssl=self.authority, local_addr=local)
        reader, writer = self.streams
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.name}", *(f"{name}: {value}" for name, value in headers.items())]
        if body is not None or method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(body or b'')}")
        writer.write("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ", 2)[1])
        fields = [(name.lower(), value.strip()) for name, value in (line.split(":", 1) for line in head[1:] if line)]
        found = Answer(status, fields, b"")
        found.body = await self._body(reader, found)
        if (found.field("connection") or "").lower() == "close":
            self.close()
        return found

    @staticmethod
    async def _body(reader, head):
        if head.status in (204, 304):
            return b""
        if (head.field("transfer-encoding") or "").lower() != "chunked":
            return await reader.readexactly(int(head.field("content-length") or 0))
        body = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body

    def close(self):
        if self.streams:
            self.streams[1].close()
        self.streams = None
