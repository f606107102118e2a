import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sound } from '../../kit/audio/sound.ts'
import { encodeWav } from '../../kit/audio/wav-file.ts'
import { BackendUnavailableError } from './recogniser.ts'
import type { Recogniser, TimedWord } from './recogniser.ts'

export const POCKETSPHINX_PROGRAM = 'pocketsphinx_continuous'

/** The offline floor: the system's PocketSphinx program with its English model. Small vocabulary errors are to be expected. */
export async function openPocketsphinx(): Promise<Recogniser> {
  const silence: Sound = { samples: new Float32Array(4000), sampleRate: 16_000 }
  await recognise(silence, new AbortController().signal)
  return {
    backend: 'pocketsphinx',
    model: 'pocketsphinx-en-us',
    license: 'BSD-2-Clause (CMU Sphinx)',
    device: 'cpu',
    languages: ['en'],
    isAligned: true,
    windowSeconds: 60,
    recognise,
    async close() {
      // Each recognition is a process of its own and ends with it.
    },
  }
}

async function recognise(sound: Sound, signal: AbortSignal): Promise<TimedWord[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-stt-'))
  try {
    const file = join(folder, 'speech.wav')
    await writeFile(file, encodeWav(sound))
    return wordsOf(await run(['-infile', file, '-time', 'yes', '-logfn', '/dev/null'], signal))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Words of the program's output: lines of word, start, end and probability; fillers and the variant's number are left out. */
function wordsOf(output: string): TimedWord[] {
  return output.split('\n').flatMap((line) => {
    const [, said, start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line) ?? []
    if (said === undefined || /^[<[+]/.test(said)) return []
    return [{ text: said.replace(/\(\d+\)$/, ''), start: Number(start), end: Number(end) }]
  })
}

async function run(args: readonly string[], signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const child = spawn(POCKETSPHINX_PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const onAbort = () => child.kill('SIGKILL')
  signal.addEventListener('abort', onAbort, { once: true })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-1000)))
  try {
    const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
      child.once('error', reject)
    })
    signal.throwIfAborted()
    if (code === 0) return output
    throw new Error(`${POCKETSPHINX_PROGRAM} ended with ${killedBy ?? code}: ${errors.trim()}`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new BackendUnavailableError(
      'pocketsphinx is not installed; on Debian: apt-get install pocketsphinx pocketsphinx-en-us',
      { cause },
    )
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
