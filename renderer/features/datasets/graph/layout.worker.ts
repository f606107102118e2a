import { graphLayout, type LayoutInput } from './graph-layout.ts'

/** The thread beside the page's: a graph comes in, the places of its nodes go out. */
globalThis.onmessage = ({ data }: MessageEvent<LayoutInput>) => {
  const places = graphLayout(data)
  globalThis.postMessage(places, { transfer: [places.buffer] })
}
