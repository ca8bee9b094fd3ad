"""Does something while a statement of the same process is at work, however late it begins."""

import contextlib
import os
import signal
import threading
import time


@contextlib.contextmanager
def while_at_work(do, again=30):
    """Runs `do` in a thread once the process has worked for a while, and again after so many seconds, until the block is left.

    Who stops a statement that has not begun stops nothing; and what works before it begins is only what else there is.
    """
    over, before = threading.Event(), time.process_time()

    def run():
        while time.process_time() < before + 0.15 and not over.wait(0.01):
            pass
        while not over.is_set():
            do()
            over.wait(again)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)
