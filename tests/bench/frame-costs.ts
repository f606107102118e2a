/** Of a Chromium trace: a span (`ph` X) or something else; times in microseconds, `tdur` those in which the thread had a processor. */
interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  tdur?: number
}

/** Categories of a trace that `frameCosts` can read. */
export const TRACE_CATEGORIES = ['cc', 'devtools.timeline', 'disabled-by-default-devtools.timeline']

/** Lists what the page itself costs; it runs on the main thread and would run so with a graphics processor too. */
const OWN_WORK = new Set(['FunctionCall', 'EventDispatch', 'FireAnimationFrame', 'TimerFire', 'RunMicrotasks'])
for (const name of ['UpdateLayoutTree', 'Layout', 'MinorGC', 'MajorGC']) OWN_WORK.add(name)
/** Lists what becomes pictures of it, on the same thread. */
const PAINT = new Set(['PrePaint', 'Paint', 'Layerize'])
const FRAME = 'ProxyMain::BeginMainFrame'

/** Processor time per frame, in milliseconds. */
export interface FrameCosts {
  /** Script, style and layout of each frame, with what ran before the next one began. */
  work: number[]
  paint: number[]
  /** Pixels by the processor, all raster threads: the mean. */
  rasterMean: number
}

/** Reads a trace as Chromium writes it. Throws when it has no frames, or Chromium did not count processor time. */
export function frameCosts(trace: string): FrameCosts {
  const events = (JSON.parse(trace) as { traceEvents: TraceEvent[] }).traceEvents.filter(({ ph }) => ph === 'X')
  const frames = events.filter(({ name }) => name === FRAME).sort((a, b) => a.ts - b.ts)
  const [first] = frames
  if (first === undefined || first.tdur === undefined) throw new Error('the trace has no frames with processor time')
  const onMain = events.filter(({ pid, tid }) => pid === first.pid && tid === first.tid).sort((a, b) => a.ts - b.ts)
  const perFrame = (names: ReadonlySet<string>): number[] => {
    const costs = frames.map(() => 0)
    let [frame, end] = [0, -Infinity]
    for (const { name, ts, dur = 0, tdur = 0 } of onMain) {
      // A span within another is counted with that.
      if (!names.has(name) || ts < end || ts < first.ts) continue
      end = ts + dur
      while (frame + 1 < frames.length && frames[frame + 1]!.ts <= ts) frame += 1
      costs[frame]! += tdur / 1000
    }
    return costs
  }
  const raster = events.reduce((sum, { name, tdur = 0 }) => (name === 'RasterTask' ? sum + tdur : sum), 0)
  return { work: perFrame(OWN_WORK), paint: perFrame(PAINT), rasterMean: raster / 1000 / frames.length }
}
