"""A headless Chromium, driven through its debugging pipe: one JSON text after another, each ended by a zero byte.

Needs nothing but Python and Chromium. Whatever the page writes to the console, and every exception, is kept in `trouble`.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


def find():
    """The path of a Chromium, or None."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        path = name and shutil.which(name)
        if path:
            return path
    return None


class Browser:
    def __init__(self, limit_s=60):
        self.limit_s = limit_s
        self.folder = tempfile.mkdtemp(prefix="heatsolve-browser.")
        to_read, self.write_fd = os.pipe()
        self.read_fd, to_write = os.pipe()
        flags = ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
                 "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self.folder}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")

        def give_pipes():  # Chromium reads from 3 and writes to 4
            read, write = os.dup(to_read), os.dup(to_write)
            read, write = (os.dup(fd) if fd in (3, 4) else fd for fd in (read, write))
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen([find(), *flags, "about:blank"], preexec_fn=give_pipes, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        os.set_blocking(self.read_fd, False)
        self.rest = b""
        self.count = 0
        self.session = None
        self.trouble, self.requests, self.events = [], [], []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the pipe ------------------------------------------------------------------------------

    def _message(self):
        end = time.monotonic() + self.limit_s
        while b"\0" not in self.rest:
            try:
                part = os.read(self.read_fd, 1 << 20)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise TimeoutError("Chromium does not answer") from None
                time.sleep(0.005)
                continue
            if not part:
                raise EOFError("Chromium has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        name, what = message.get("method"), message.get("params", {})
        if name == "Runtime.exceptionThrown":
            self.trouble.append(what["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif name == "Runtime.consoleAPICalled":
            self.trouble.append(" ".join(str(a.get("value", a.get("description"))) for a in what["args"]))
        elif name == "Log.entryAdded":
            self.trouble.append(what["entry"]["text"])
        elif name == "Page.javascriptDialogOpening":
            self.trouble.append("dialog: " + what["message"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        self.events.append(name)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") != self.count:
                self._note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    # --- pages ---------------------------------------------------------------------------------

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def prefer(self, **features):
        """Media features with _ for -: prefer(prefers_color_scheme="dark")."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def open(self, path):
        self.trouble, self.requests, self.events = [], [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self._note(self._message())

    def run(self, script):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", "exception"))
        return answer["result"].get("value")

    def point(self, x, y, kind="mouseMoved"):
        press = {"button": "left", "clickCount": 1} if kind != "mouseMoved" else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **press)

    def key(self, name, shift=False, text=None):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=codes.get(name, 0),
                      modifiers=8 if shift else 0, **extra)

    def picture(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def print(self, path):
        sheet = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(sheet["data"]))
