import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { SpeakerFit } from '../../../contract/index.ts'
import { durationSeconds } from '../../kit/audio/sound.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { decodeWav, encodeWav } from '../../kit/audio/wav-file.ts'
import { HttpError } from '../../kit/http-error.ts'
import { namesIn, noteText, readJson, replaceFile } from '../../kit/kept-files.ts'

/** A fit as it is kept: with the folder of its model, null where it heard no better, and what it was fitted from. */
const StoredFit = SpeakerFit.omit({ used: true }).extend({ model: z.string().nullable(), basis: z.string() })
export type StoredFit = z.infer<typeof StoredFit>

const Note = z.object({
  name: z.string(),
  created: z.iso.datetime(),
  consent: z.string().nullable(),
  fit: StoredFit.nullable(),
})
type Note = z.infer<typeof Note>

const SentenceNote = z.object({
  text: z.string(),
  seconds: z.number(),
  /** Counts the speaker's readings. */
  reading: z.int(),
  read_at: z.iso.datetime(),
})
type SentenceNote = z.infer<typeof SentenceNote>

export interface StoredSpeaker extends Note {
  id: string
  /** In the order of reading. */
  sentences: SentenceNote[]
}

const NOTE = 'speaker.json'
const SENTENCES = 'sentences'
const DELETED = '.deleted-'

/** Speakers, their readings and their models: a folder each, which is all there is of them. */
export class SpeakerStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** By name. A folder without a readable note is left out. */
  async list(): Promise<StoredSpeaker[]> {
    const names = await namesIn(this.#folder)
    // Of deletions that were cut short.
    const deleted = names.filter((name) => name.startsWith(DELETED))
    await Promise.all(deleted.map((name) => rm(join(this.#folder, name), { recursive: true, force: true })))
    const ids = names.filter((name) => !name.startsWith(DELETED))
    const speakers = await Promise.all(ids.map((id) => this.#read(id)))
    return speakers.filter((speaker) => speaker !== null).sort((a, b) => a.name.localeCompare(b.name))
  }

  /** Throws 404 for an unknown id. */
  async find(id: string): Promise<StoredSpeaker> {
    const speaker = z.uuid().safeParse(id).success ? await this.#read(id) : null
    if (speaker === null) throw new HttpError(404, `Speaker '${id}' is unknown. GET /v1/speakers lists those enrolled.`)
    return speaker
  }

  async add(name: string, consent: string | null): Promise<StoredSpeaker> {
    const id = randomUUID()
    await mkdir(join(this.#folder, id, SENTENCES), { recursive: true })
    await this.#write(id, { name, created: new Date().toISOString(), consent, fit: null })
    return this.find(id)
  }

  /** Keeps a reading; one of the same text is replaced. */
  async keep(id: string, text: string, sound: Sound): Promise<StoredSpeaker> {
    const { sentences } = await this.find(id)
    const place = this.#sentence(id, text)
    const note: SentenceNote = {
      text,
      seconds: Number(durationSeconds(sound).toFixed(2)),
      reading: (sentences.at(-1)?.reading ?? 0) + 1,
      read_at: new Date().toISOString(),
    }
    await replaceFile(`${place}.wav`, encodeWav(sound))
    await replaceFile(`${place}.json`, noteText(note))
    return this.find(id)
  }

  /** The recording of a sentence that was read. */
  async recording(id: string, text: string): Promise<Sound> {
    const bytes = await readFile(`${this.#sentence(id, text)}.wav`).catch(() => null)
    const decoded = bytes === null || bytes.length === 0 ? null : decodeWav(bytes)
    if (decoded === null) throw new HttpError(409, `The recording of “${text}” is damaged; read that sentence again.`)
    return decoded.sound
  }

  /**
   * A folder for a model of this speaker; nothing of the speaker's until `fitted` names it. Takes away what earlier fits have left: not at their end, as
   * somebody may be heard by the model before.
   */
  async newModel(id: string): Promise<{ model: string; folder: string }> {
    const { fit } = await this.find(id)
    const old = (await namesIn(join(this.#folder, id))).filter(
      (name) => name.startsWith('model-') && name !== fit?.model,
    )
    await Promise.all(old.map((name) => rm(this.modelFolder(id, name), { recursive: true, force: true })))
    const model = `model-${randomUUID()}`
    const folder = this.modelFolder(id, model)
    await mkdir(folder)
    return { model, folder }
  }

  modelFolder(id: string, model: string): string {
    return join(this.#folder, id, model)
  }

  /** Notes a fit. Throws 404 where the speaker is gone. */
  async fitted(id: string, fit: StoredFit): Promise<StoredSpeaker> {
    const { sentences: _, id: _id, ...note } = await this.find(id)
    await this.#write(id, { ...note, fit })
    return this.find(id)
  }

  /** Takes everything of the speaker off the disk. Throws 404 for an unknown id. */
  async remove(id: string): Promise<StoredSpeaker> {
    const speaker = await this.find(id)
    // Out of sight at once, so that nothing is written into it any more and no half of it can come back.
    const aside = join(this.#folder, `${DELETED}${randomUUID()}`)
    await rename(join(this.#folder, id), aside)
    await rm(aside, { recursive: true, force: true })
    return speaker
  }

  #sentence(id: string, text: string): string {
    return join(this.#folder, id, SENTENCES, createHash('sha256').update(text).digest('hex').slice(0, 32))
  }

  #write(id: string, note: Note): Promise<void> {
    return replaceFile(join(this.#folder, id, NOTE), noteText(note))
  }

  async #read(id: string): Promise<StoredSpeaker | null> {
    const folder = join(this.#folder, id)
    const note = await readJson(join(folder, NOTE), Note)
    if (note === null) return null
    const names = await namesIn(join(folder, SENTENCES))
    const notes = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, SENTENCES, name))
    const sentences = await Promise.all(notes.map((path) => readJson(path, SentenceNote)))
    const read = sentences.filter((sentence) => sentence !== null)
    return { ...note, id, sentences: read.sort((a, b) => a.reading - b.reading) }
  }
}
