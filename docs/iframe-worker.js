// Lets the search run on pages that are opened as files, for which browsers start no workers: its script runs in a frame
// that is not shown, and messages go from window to window.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => load(inside, each)), Promise.resolve())
      this.ready = load(inside, url)
      this.inside = inside
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.inside.frameElement.remove()
    }
  }

  const load = (inside, url) => new Promise((resolve, reject) => {
    const script = inside.document.createElement("script")
    script.src = new URL(url, location.href).href
    script.onload = resolve
    script.onerror = reject
    inside.document.body.append(script)
  })
}
