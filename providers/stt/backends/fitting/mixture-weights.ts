/** Steps of the compressed weights are powers of this, each `1 << SHIFT` of them. */
const LOG_BASE = 1.0001
const SHIFT = 10
/** Counts that one senone and stream is given in all: the training programs divide by the sum. */
const COUNTS = 100_000
const BYTE_ORDER = 0x1122_3344

/**
 * The file `mixture_weights` that the training programs read, from the compressed one (`sendump`) that the recogniser comes with: senones by
 * streams by densities, as 32-bit floats. Throws where the compressed file has another form than one byte for each weight.
 */
export function expandMixtureWeights(sendump: Buffer): Buffer {
  const { facts, at } = readHeader(sendump)
  if ((facts.get('cluster_count') ?? 0) !== 0) throw new Error('its weights are clustered')
  const streams = facts.get('feature_count') ?? 1
  const densities = sendump.readInt32LE(at)
  const senones = sendump.readInt32LE(at + 4)
  const steps = sendump.subarray(at + 8)
  const weightCount = streams * densities * senones
  if (densities <= 0 || senones <= 0 || steps.length < weightCount)
    throw new Error(`${weightCount} weights are declared, but ${steps.length} are stored`)
  const valueOf = Float64Array.from({ length: 256 }, (_, step) => LOG_BASE ** -(step << SHIFT))
  const header = Buffer.from('s3\nversion 1.0\nendhdr\n')
  const file = Buffer.alloc(header.length + 4 * (5 + weightCount))
  header.copy(file)
  ;[BYTE_ORDER, senones, streams, densities, weightCount].forEach((value, i) =>
    file.writeUInt32LE(value, header.length + 4 * i),
  )
  let to = header.length + 20
  for (let senone = 0; senone < senones; senone += 1)
    for (let stream = 0; stream < streams; stream += 1) {
      const weightOf = (density: number) => valueOf[steps[(stream * densities + density) * senones + senone]!]!
      let sum = 0
      for (let density = 0; density < densities; density += 1) sum += weightOf(density)
      for (let density = 0; density < densities; density += 1, to += 4)
        file.writeFloatLE((weightOf(density) / sum) * COUNTS, to)
    }
  return file
}

/** Lines of the header, each with its length before it, that are a name and a number; a length of 0 ends it. */
function readHeader(file: Buffer): { facts: ReadonlyMap<string, number>; at: number } {
  const facts = new Map<string, number>()
  let at = 0
  for (;;) {
    if (at + 4 > file.length) throw new Error('its header has no end')
    const length = file.readInt32LE(at)
    at += 4
    if (length === 0) return { facts, at }
    if (length < 0 || at + length > file.length) throw new Error('its header has no end')
    const [, name, value] = /^(\w+) (\d+)\0?$/.exec(file.toString('latin1', at, at + length)) ?? []
    if (name !== undefined) facts.set(name, Number(value))
    at += length
  }
}
