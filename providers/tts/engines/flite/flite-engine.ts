import { mkdtempSync, rmSync } from 'node:fs'
import type { EngineVoice } from '../../../../contract/http/speech.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { decodeWav } from '../../../kit/audio/wav-file.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { processFolderPrefix, removeAbandonedFolders } from '../../../kit/process-folder.ts'
import type { TextReader } from '../../pronounce/pronouncer.ts'
import { toAscii } from '../../text/plain-speech.ts'
import { threadHost } from '../engine-host.ts'
import { EngineFailedError, EngineProgram } from '../engine-program.ts'
import type { SpeechEngine, Utterance } from '../speech-engine.ts'
import type { FliteAnswer, FliteTask } from './flite-worker.ts'

const voice = (id: string, name: string, gender: string): EngineVoice => ({ id, name, language: 'en', gender })

/** Voices of the bundled program that share its sample rate. */
export const FLITE_VOICES: readonly EngineVoice[] = [
  voice('slt', 'SLT, American, statistical', 'female'),
  voice('rms', 'RMS, American, statistical', 'male'),
  voice('awb', 'AWB, Scottish, statistical', 'male'),
  voice('kal16', 'KAL, American, diphones', 'male'),
]

/** Any voice would do: dictionary and rules are the same for all, and this one is made fastest. */
const READING_VOICE = 'kal16'

/** The offline floor: CMU Flite compiled to WebAssembly. Needs nothing that is not in the installation. */
export class FliteEngine implements SpeechEngine {
  readonly id = 'flite'
  readonly aliases = []
  readonly owner = 'Carnegie Mellon University'
  readonly license = 'BSD-style (CMU Flite)'
  readonly description = 'Bundled small synthesiser: clear, fast, audibly synthetic. English only, needs no download.'
  readonly languages = ['en']
  readonly sampleRate = 16_000
  readonly weights = null
  readonly voices = FLITE_VOICES
  readonly maxCharacters = 600
  readonly #program = new EngineProgram<FliteTask, FliteAnswer>(() =>
    threadHost(moduleEntry('./flite-worker', import.meta.url)),
  )

  #lastRun: Promise<unknown> = Promise.resolve()

  constructor() {
    removeAbandonedFolders(FOLDER)
  }

  async speak({ text, voice, speed }: Utterance, signal: AbortSignal): Promise<Sound> {
    const args = ['-voice', voice, ...tempo(speed), '-t', toAscii(text)]
    const { wave } = await this.#run({ args, wave: true }, signal)
    const decoded = wave === null ? null : decodeWav(Buffer.from(wave))
    if (decoded === null) throw new EngineFailedError('the synthesis program wrote no audio')
    return decoded.sound
  }

  /** Phones of the text, spoken at speed 1, with the second at which each ends, in the program's own names (`pau` is a pause). */
  async phones(text: string, voice: string, signal: AbortSignal): Promise<{ name: string; end: number }[]> {
    const args = ['-voice', voice, ...tempo(1), '-psdur', '-t', toAscii(text)]
    const { printed } = await this.#run({ args, wave: false }, signal)
    return [...printed.matchAll(/(\S+):([\d.]+)/g)].map(([, name, end]) => ({ name: name!, end: Number(end) }))
  }

  /** The words as they are spoken: numbers and abbreviations written out. */
  async words(text: string, voice: string, signal: AbortSignal): Promise<string[]> {
    const args = ['-voice', voice, '-pw', '-t', toAscii(text)]
    const { printed } = await this.#run({ args, wave: false }, signal)
    return printed.split(/\s+/).filter((word) => word !== '')
  }

  /** Words and phones for engines that need them spelled out: the program's number rules, its dictionary and its rules of spelling. */
  readonly reader: TextReader = {
    wordsOf: (text, signal) => this.words(text, READING_VOICE, signal),
    phonesOf: async (word, signal) =>
      (await this.phones(word, READING_VOICE, signal)).map(({ name }) => name).filter((name) => name !== 'pau'),
  }

  /** Each run has a folder of its own, removed here: a thread that is ended while it speaks cannot remove it. */
  #run(task: Omit<FliteTask, 'folder'>, signal: AbortSignal): Promise<FliteAnswer> {
    const run = this.#runInFolder(task, signal)
    this.#lastRun = run.catch(() => undefined)
    return run
  }

  async #runInFolder(task: Omit<FliteTask, 'folder'>, signal: AbortSignal): Promise<FliteAnswer> {
    const folder = mkdtempSync(processFolderPrefix(FOLDER))
    const remove = (): void => rmSync(folder, { recursive: true, force: true })
    // A deadline ends the service in the middle of a run.
    process.once('exit', remove)
    try {
      return await this.#program.run({ ...task, folder }, signal)
    } finally {
      process.off('exit', remove)
      remove()
    }
  }

  async close(): Promise<void> {
    await this.#program.close()
    await this.#lastRun
  }
}

/** Voices have tempos of their own, kal16 a slow one: it is always set, so that 1 is the same for all, and times are those of the sound. */
function tempo(speed: number): string[] {
  return ['--setf', `duration_stretch=${(1 / speed).toFixed(4)}`]
}

/** Of the folders of runs. */
const FOLDER = 'rag-ladder-flite-'
