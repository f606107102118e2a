import { readdir } from 'node:fs/promises'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { FLITE_VOICES, FliteEngine } from './flite-engine.ts'

const flite = new FliteEngine()
const { signal } = new AbortController()
afterAll(() => flite.close())

const STEP_SECONDS = 0.01

/** Start and end of the longest quiet stretch inside the speech, in seconds. */
function longestPause({ samples, sampleRate }: Sound): [number, number] {
  const width = Math.round(STEP_SECONDS * sampleRate)
  const isQuiet = Array.from({ length: Math.floor(samples.length / width) }, (_, step) =>
    samples.subarray(step * width, (step + 1) * width).every((sample) => Math.abs(sample) < 0.02),
  )
  let longest: [number, number] = [0, 0]
  let start = isQuiet.indexOf(false)
  for (let step = start; step <= isQuiet.lastIndexOf(false); step += 1) {
    if (!isQuiet[step]) start = step + 1
    else if (step + 1 - start > longest[1] - longest[0]) longest = [start, step + 1]
  }
  return [longest[0] * STEP_SECONDS, longest[1] * STEP_SECONDS]
}

it.each(FLITE_VOICES.map(({ id }) => id))('reports when its phones are spoken: %s', async (voice) => {
  const text = 'Nine of the twelve reports describe the same campaign, and three others name a supplier.'
  const [from, to] = longestPause(await flite.speak({ text, voice, speed: 1 }, signal))
  const phones = await flite.phones(text, voice, signal)
  const pause = phones.findIndex(({ name }, i) => i > 0 && name === 'pau')
  expect(Math.abs(phones[pause - 1]!.end - from)).toBeLessThan(0.1)
  expect(Math.abs(phones[pause]!.end - to)).toBeLessThan(0.05)
})

it.each(FLITE_VOICES.map(({ id }) => id))(
  'reports the words of a name whose sounds a voice lacks, and nothing else: %s',
  async (voice) => {
    const words = ['a', 'loan', 'from', 'van', 'houtryck', 'bank']
    expect(await flite.words('A loan from Van Houtryck Bank.', voice, signal)).toEqual(words)
    expect(await flite.reader.wordsOf('A loan from Van Houtryck Bank.', signal)).toEqual(words)
  },
)

/** The system lists here the open handles of the process that reads it. */
const HANDLES = '/dev/fd'

it.skipIf(process.platform === 'win32')('keeps no handle open after an utterance', async () => {
  const speak = () => flite.speak({ text: 'One.', voice: 'kal16', speed: 1 }, signal)
  await speak()
  const before = (await readdir(HANDLES)).length
  for (let utterance = 0; utterance < 12; utterance += 1) await speak()
  expect((await readdir(HANDLES)).length - before).toBeLessThan(6)
})

it('leaves no folder when it is closed during a run', async () => {
  const folder = await temporaryFolder('flite')
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TMPDIR', folder)
  const engine = new FliteEngine()
  const spoken = engine.speak({ text: 'The harbour closes at night. '.repeat(20), voice: 'slt', speed: 1 }, signal)
  await expect
    .poll(async () => (await readdir(folder, { recursive: true })).some((name) => name.endsWith('printed.txt')))
    .toBe(true)
  await Promise.all([expect(spoken).rejects.toThrow(), engine.close()])
  expect(await readdir(folder)).toEqual([])
})
