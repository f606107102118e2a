import { rm } from 'node:fs/promises'
import { MIN_ENROLMENT_SENTENCES, SpeakerFit } from '../../../contract/index.ts'
import type { NewSpeaker, ReadSentence, Speaker, Speakers } from '../../../contract/index.ts'
import { durationSeconds } from '../../kit/audio/sound.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { Reading, Recogniser, SpeakerFitting } from '../backends/recogniser.ts'
import { textOf } from '../transcript.ts'
import { ENROLMENT_SENTENCES } from './enrolment-sentences.ts'
import type { SpeakerStore, StoredSpeaker } from './speaker-store.ts'
import { alignedWords, wordErrors } from './word-errors.ts'

/** Every one of this many sentences is kept out of the fitting that is judged. */
const HELD_OUT_EVERY = 5
/** Recognitions at the same time while a fit is judged. */
const HEARING_WIDTH = 2
/** Share of a sentence's words that must be heard in a reading of it. */
const LEAST_HEARD = 0.25
/** Share of the readings whose sound must match their words. */
const LEAST_MATCHED = 0.5
/** More than that and a fit could not end before the deadline of a call. */
const MOST_SENTENCES = 500

/** The service's recogniser: `get` throws 503 while there is none. */
interface Models {
  current(): Recogniser | null
  get(): Recogniser
}

/** Speakers and what the recogniser learns of them. */
export class Enrolment {
  readonly #store: SpeakerStore
  readonly #models: Models
  readonly #fitting = new Set<string>()

  constructor(store: SpeakerStore, models: Models) {
    this.#store = store
    this.#models = models
  }

  async list(): Promise<Speakers> {
    const speakers = await this.#store.list()
    return {
      object: 'list',
      data: speakers.map((speaker) => this.#told(speaker)),
      sentences: [...ENROLMENT_SENTENCES],
      min_sentences: MIN_ENROLMENT_SENTENCES,
      unavailable: await unavailability(this.#models.current()),
    }
  }

  async add({ name, consent }: NewSpeaker): Promise<Speaker> {
    return this.#told(await this.#store.add(name, consent || null))
  }

  /** The name of who is gone. */
  async remove(id: string): Promise<string> {
    return (await this.#store.remove(id)).name
  }

  /**
   * Keeps a sentence as the speaker read it. Throws 422 for words that the recogniser does not know, and 400 for a recording that is not of this
   * sentence.
   */
  async read(id: string, text: string, sound: Sound, signal: AbortSignal): Promise<ReadSentence> {
    const { sentences } = await this.#store.find(id)
    if (sentences.length >= MOST_SENTENCES && !sentences.some((sentence) => sentence.text === text))
      throw new HttpError(409, `${MOST_SENTENCES} sentences were read, which is enough; read one of them again.`)
    const recogniser = this.#models.get()
    const { words, unknown } = await (await fittingOf(recogniser)).wordsOf(text)
    if (unknown.length > 0 || words.length === 0) {
      const reason = words.length === 0 ? 'It has no words' : `The recogniser does not know: ${unknown.join(', ')}`
      throw new HttpError(422, `${reason}. Read another sentence.`)
    }
    const fault = readingFault(sound, words.length)
    if (fault !== null) throw new HttpError(400, fault)
    const heard = textOf(await recogniser.recognise(sound, signal))
    const again = heard === '' ? [] : heard.split(' ')
    // Reading something else would teach wrong sounds for these words; any two sentences share a short word.
    if (alignedWords(spelled(words), again).length < LEAST_HEARD * words.length) {
      const what = heard === '' ? 'nothing was heard' : `“${heard}” was heard`
      throw new HttpError(
        400,
        `Too little of the sentence was recognised: ${what}. Read it once more, a little slower.`,
      )
    }
    const errors = wordErrors(spelled(words), again)
    const speaker = await this.#store.keep(id, text, sound)
    return {
      speaker: this.#told(speaker),
      seconds: speaker.sentences.at(-1)!.seconds,
      heard,
      words: words.length,
      errors,
    }
  }

  /**
   * Fits the recogniser to all that was read, after a first fit without every fifth sentence has shown on those whether it hears better then. Throws 409
   * with too few sentences and while a fit is under way, and 503 where none can be made.
   */
  async fit(id: string, signal: AbortSignal): Promise<Speaker> {
    const { sentences } = await this.#store.find(id)
    const recogniser = this.#models.get()
    const fitting = await fittingOf(recogniser)
    if (sentences.length < MIN_ENROLMENT_SENTENCES) {
      const missing = MIN_ENROLMENT_SENTENCES - sentences.length
      throw new HttpError(409, `${sentences.length} sentences were read; read ${missing} more to fit the recogniser.`)
    }
    if (this.#fitting.has(id)) throw new HttpError(409, 'The recogniser is being fitted to this speaker already.')
    this.#fitting.add(id)
    try {
      const readings: Reading[] = []
      for (const { text } of sentences) {
        const { words } = await fitting.wordsOf(text)
        readings.push({ words, sound: await this.#store.recording(id, text) })
      }
      return this.#told(await this.#judgedFit(id, readings, recogniser, fitting, signal))
    } catch (error) {
      // That the speaker was deleted meanwhile is the reason for whatever went wrong.
      await this.#store.find(id)
      throw error
    } finally {
      this.#fitting.delete(id)
    }
  }

  /** The folder of the model fitted to a speaker; null where there is none to use. Throws 404 for an unknown id. */
  async modelOf(id: string): Promise<string | null> {
    const { fit } = await this.#store.find(id)
    return fit !== null && this.#isUsed(fit) ? this.#store.modelFolder(id, fit.model!) : null
  }

  async #judgedFit(
    id: string,
    readings: readonly Reading[],
    recogniser: Recogniser,
    fitting: SpeakerFitting,
    signal: AbortSignal,
  ): Promise<StoredSpeaker> {
    const isHeldOut = (_: unknown, i: number) => i % HELD_OUT_EVERY === HELD_OUT_EVERY - 1
    const heldOut = readings.filter(isHeldOut)
    const { model, folder } = await this.#store.newModel(id)
    try {
      const first = readings.filter((reading, i) => !isHeldOut(reading, i))
      let matched = await fitting.fit(first, folder, signal)
      refuseMismatch(matched, first.length)
      const errorsBefore = await errorsOf(recogniser, heldOut, null, signal)
      const errorsAfter = await errorsOf(recogniser, heldOut, folder, signal)
      const isBetter = errorsAfter < errorsBefore
      if (isBetter) matched = await fitting.fit(readings, folder, signal)
      return await this.#store.fitted(id, {
        created: new Date().toISOString(),
        sentences: readings.length,
        matched_sentences: matched,
        checked_sentences: heldOut.length,
        checked_words: heldOut.reduce((sum, { words }) => sum + words.length, 0),
        errors_before: errorsBefore,
        errors_after: errorsAfter,
        model: isBetter ? model : null,
        basis: fitting.basis,
      })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  #isUsed({ model, basis }: { model: string | null; basis: string }): boolean {
    return model !== null && this.#models.current()?.fitting?.basis === basis
  }

  #told({ id, name, created, consent, sentences, fit }: StoredSpeaker): Speaker {
    return {
      id,
      name,
      created,
      consent,
      read: sentences.map(({ text }) => text),
      seconds: Number(sentences.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(1)),
      fit:
        fit === null
          ? null
          : SpeakerFit.parse({
              ...fit,
              used: this.#isUsed(fit),
            }),
    }
  }
}

async function unavailability(recogniser: Recogniser | null): Promise<string | null> {
  if (recogniser === null) return 'The recogniser is not loaded.'
  if (recogniser.fitting !== null) return recogniser.fitting.unavailability()
  return `The backend ${recogniser.backend} is not fitted to speakers; STT_BACKEND=pocketsphinx is.`
}

async function fittingOf(recogniser: Recogniser): Promise<SpeakerFitting> {
  const reason = await unavailability(recogniser)
  if (reason !== null) throw new HttpError(503, reason)
  return recogniser.fitting!
}

function refuseMismatch(matched: number, read: number): void {
  if (matched >= LEAST_MATCHED * read) return
  throw new HttpError(409, `Only ${matched} of ${read} recordings match their sentences; read the sentences again.`)
}

/** Names of letters are heard without their dot. */
function spelled(words: readonly string[]): string[] {
  return words.map((word) => word.replace(/\.$/, ''))
}

async function errorsOf(
  recogniser: Recogniser,
  readings: readonly Reading[],
  speakerModel: string | null,
  signal: AbortSignal,
): Promise<number> {
  let errors = 0
  const waiting = [...readings]
  const hear = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const heard = await recogniser.recognise(next.sound, signal, { speakerModel }).catch((error: unknown) => {
        // The rest is no longer awaited.
        waiting.length = 0
        throw error
      })
      errors += wordErrors(
        spelled(next.words),
        heard.map(({ text }) => text),
      )
    }
  }
  await Promise.all(Array.from({ length: HEARING_WIDTH }, hear))
  return errors
}

/** People read at most about eight words a second, and take less than two seconds for each. */
const SHORTEST_WORD_SECONDS = 0.12
const LONGEST_WORD_SECONDS = 2
const PAUSES_SECONDS = 6
const SILENT_BELOW = 10 ** (-45 / 20)
const FULL_SCALE = 0.985
const MOST_CLIPPED = 0.002

/** Why a recording is not that many words read aloud; null when nothing speaks against it. */
function readingFault(sound: Sound, words: number): string | null {
  const seconds = durationSeconds(sound)
  const peak = sound.samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  if (peak < SILENT_BELOW) return 'The recording is silent; check the microphone.'
  const clipped = sound.samples.reduce((count, sample) => count + (Math.abs(sample) >= FULL_SCALE ? 1 : 0), 0)
  if (clipped > MOST_CLIPPED * sound.samples.length)
    return 'The recording is too loud: samples are at full scale. Turn the microphone down.'
  const counted = `${words} word${words === 1 ? '' : 's'}`
  const lasted = `The recording lasts ${seconds.toFixed(1)} s`
  if (seconds < words * SHORTEST_WORD_SECONDS)
    return `${lasted}, which is too short for ${counted}; read the whole sentence.`
  if (seconds > PAUSES_SECONDS + words * LONGEST_WORD_SECONDS)
    return `${lasted}, which is too long for ${counted}; read only the sentence.`
  return null
}
