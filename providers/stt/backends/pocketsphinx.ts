import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { programEnvironment } from '../../../core/program-environment.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { encodeWav } from '../../kit/audio/wav-file.ts'
import { processFolderPrefix, removeAbandonedFolders } from '../../kit/process-folder.ts'
import { splitAtPauses } from '../windows/split-at-pauses.ts'
import { type Recognizer, type TimedWord, BackendUnavailableError } from './recognizer.ts'

const KEPT_ERRORS = 1000

const PACKAGES = 'pocketsphinx pocketsphinx-en-us'

/**
 * Returns what one of the Sphinx programs prints. It is killed when the signal aborts; rejects with its reason, and with `BackendUnavailableError`, which names
 * Debian's packages, where it is not installed.
 */
async function runSphinx(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: programEnvironment(process.env) })
  const onAbort = () => child.kill('SIGKILL')
  signal.addEventListener('abort', onAbort, { once: true })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-KEPT_ERRORS)))
  try {
    const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
      child.once('error', reject)
    })
    signal.throwIfAborted()
    if (code === 0) return output
    throw new Error(`${program} ended with ${killedBy ?? code}: ${errors.trim()}`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new BackendUnavailableError(`${program} is not installed; on Debian: apt-get install ${PACKAGES}`, { cause })
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export const POCKETSPHINX_PROGRAM = 'pocketsphinx_continuous'
const PARTS_PROGRAM = 'pocketsphinx_batch'

/** Packages put the English model into one of these folders. */
const MODEL_FOLDERS = ['/usr/share', '/usr/local/share', '/opt/homebrew/share'].map((place) =>
  join(place, 'pocketsphinx/model/en-us'),
)
const FRAMES_PER_SECOND = 100
/**
 * The language model counts this much against the sound, in the search and in the passes over what it found; the programs' own 6.5, 8.5 and 9.5 let likely
 * words displace spoken ones (docs/decisions/040).
 */
const LANGUAGE_WEIGHTS = ['-lw', '5', '-fwdflatlw', '6', '-bestpathlw', '7.5'] as const
/** Half a step of the 16 bits that the programs are given: what is less becomes zero. */
const LEAST_SAMPLE = 0.5 / 32_768
/** Of folders that hold a recording while it is recognized. */
const WORK_PREFIX = 'rag-ladder-stt-'

/** The offline floor: the system's PocketSphinx programs with their English model. Small vocabulary errors are to be expected. */
export async function openPocketsphinx(): Promise<Recognizer> {
  removeAbandonedFolders(WORK_PREFIX)
  const silence: Sound = { samples: new Float32Array(4000), sampleRate: 16_000 }
  await recognizeContinuously(silence, new AbortController().signal)
  const folder = modelFolder()
  return {
    backend: 'pocketsphinx',
    model: 'pocketsphinx-en-us',
    license: 'BSD-2-Clause (CMU Sphinx)',
    device: 'cpu',
    languages: ['en'],
    isAligned: true,
    windowSeconds: 60,
    async recognize(sound, signal) {
      // The program that recognizes parts has no default model.
      if (folder === null) return recognizeContinuously(sound, signal)
      const { modelFile, dictionaryFile } = generalModel(folder)
      const model = ['-hmm', join(folder, 'en-us'), '-lm', modelFile, '-dict', dictionaryFile]
      return recognizeParts(sound, model, signal)
    },
    async close() {
      // Each recognition is a process of its own and ends with it.
    },
  }
}

function generalModel(folder: string): { modelFile: string; dictionaryFile: string } {
  return { modelFile: join(folder, 'en-us.lm.bin'), dictionaryFile: join(folder, 'cmudict-en-us.dict') }
}

/** The installed model's folder; null where it is not in a place that we know. */
function modelFolder(): string | null {
  const hasModel = (folder: string): boolean => Object.values(generalModel(folder)).every((file) => existsSync(file))
  return MODEL_FOLDERS.find(hasModel) ?? null
}

async function recognizeContinuously(sound: Sound, signal: AbortSignal): Promise<TimedWord[]> {
  return withFolder(async (folder) => {
    const file = join(folder, 'speech.wav')
    await writeFile(file, encodeWav(sound))
    const args = ['-infile', file, '-time', 'yes', '-logfn', '/dev/null', ...LANGUAGE_WEIGHTS]
    return timedLines(await runSphinx(POCKETSPHINX_PROGRAM, args, signal))
  })
}

/** One process recognizes the parts between pauses, each as a whole: with the mean of its own spectrum taken away first (docs/decisions/040). */
async function recognizeParts(sound: Sound, model: readonly string[], signal: AbortSignal): Promise<TimedWord[]> {
  return withFolder(async (folder) => {
    const parts = splitAtPauses(sound)
      .filter((bounds) => hasSound(cut(sound, bounds)))
      .map((part, i) => ({ ...part, name: `part-${i}` }))
    if (parts.length === 0) return []
    for (const { name, ...bounds } of parts) await writeFile(join(folder, `${name}.wav`), encodeWav(cut(sound, bounds)))
    const [list, hypotheses] = [join(folder, 'list'), join(folder, 'heard')]
    await writeFile(list, parts.map(({ name }) => `${name}\n`).join(''))
    const input = ['-adcin', 'yes', '-adchdr', '44', '-cepdir', folder, '-cepext', '.wav', '-ctl', list]
    // Silence left out would shift the times of all words after it.
    const times = ['-remove_silence', 'no']
    const output = ['-hypseg', hypotheses, '-logfn', '/dev/null']
    await runSphinx(PARTS_PROGRAM, [...input, ...times, ...LANGUAGE_WEIGHTS, ...output, ...model], signal)
    const lines = (await readFile(hypotheses, 'utf8')).split('\n')
    return parts.flatMap(({ name, start }) => {
      const words = timedSegments(lines.find((line) => line.startsWith(`${name} `)) ?? '')
      return words.map((word) => ({ ...word, start: word.start + start, end: word.end + start }))
    })
  })
}

function cut({ samples, sampleRate }: Sound, { start, end }: { start: number; end: number }): Sound {
  return { samples: samples.subarray(Math.round(start * sampleRate), Math.round(end * sampleRate)), sampleRate }
}

/** False of a microphone that is off, which gives nothing but zeros: the program recognizes a word in them. */
function hasSound({ samples }: Sound): boolean {
  return samples.some((sample) => Math.abs(sample) >= LEAST_SAMPLE)
}

async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(processFolderPrefix(WORK_PREFIX))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lines of word, start, end and probability. */
function timedLines(output: string): TimedWord[] {
  return output.split('\n').flatMap((line) => {
    const [, word, start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line) ?? []
    return word === undefined ? [] : spoken(word, Number(start), Number(end))
  })
}

/** One line: totals, then for each word its first frame, two scores and the word, and at the end the number of frames. */
function timedSegments(line: string): TimedWord[] {
  const [, body = ''] = / L -?\d+ (.*)$/s.exec(line.trim()) ?? []
  const found = [...body.matchAll(/(\d+) -?\d+ -?\d+ (\S+)(?= (\d+))/g)]
  return found.flatMap(([, start, word, end]) =>
    spoken(word!, Number(start) / FRAMES_PER_SECOND, Number(end) / FRAMES_PER_SECOND),
  )
}

/** Fillers and the number of a pronunciation are left out; the names of letters lose their dot. */
function spoken(word: string, start: number, end: number): TimedWord[] {
  if (/^[<[+]/.test(word)) return []
  return [{ text: word.replace(/\(\d+\)$/, '').replace(/^([a-z])\.$/, '$1'), start, end }]
}
