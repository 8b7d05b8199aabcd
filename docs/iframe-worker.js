// Browsers start no workers for pages that are opened from disk. There, a worker is an invisible frame: its script runs
// beside the page, and messages pass between the two as between a page and a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      const inner = frame.contentWindow, page = frame.contentDocument
      inner.postMessage = data => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })))
      const load = source => new Promise((done, failed) => {
        const script = page.createElement("script")
        Object.assign(script, { src: new URL(source, location.href), onload: done, onerror: failed })
        page.body.appendChild(script)
      })
      inner.importScripts = (...sources) => sources.reduce((all, source) => all.then(() => load(source)), Promise.resolve())
      this.inner = inner
      this.ready = load(url)
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}
