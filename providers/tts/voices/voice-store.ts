import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ClonedVoice } from '../../../contract/http/speech.ts'
import { durationSeconds, type Sound } from '../../kit/audio/sound.ts'
import { decodeWav, encodeWav } from '../../kit/audio/wav-file.ts'
import { HttpError } from '../../kit/http-error.ts'
import { namesIn, noteText, readJson, replaceFile } from '../../kit/kept-files.ts'

/** A person states these about a clip. */
export interface VoiceDetails {
  name: string
  language: string
  originalFilename: string
  medianF0: number | null
  consent: string | null
  license: string | null
  provenance: string | null
}

const Stored = z.object({
  name: z.string(),
  language: z.string(),
  original_filename: z.string(),
  upload_date: z.iso.datetime(),
  median_f0_hz: z.number().nullable(),
  consent: z.string().nullable(),
  license: z.string().nullable(),
  provenance: z.string().nullable(),
  sha256: z.string(),
})
type Stored = z.infer<typeof Stored>

const CLIP = 'clip.wav'
const NOTE = 'voice.json'
/** Of registrations that are under way, or were cut short. */
const ASIDE = '.new-'

/** Registered voices: a folder each, with the clip and what is known of it. Names are compared without case. */
export class VoiceStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** By name. A folder without a readable note is left out. */
  async list(): Promise<ClonedVoice[]> {
    const names = await namesIn(this.#folder)
    const kept = names.filter((name) => !name.startsWith(ASIDE))
    const voices = await Promise.all(kept.map((name) => this.#read(join(this.#folder, name))))
    return voices.filter((voice) => voice !== null).sort((a, b) => a.name.localeCompare(b.name))
  }

  /** Null when no voice has that name. */
  async find(name: string): Promise<ClonedVoice | null> {
    return this.#read(this.#folderOf(name))
  }

  /** The clip of that voice and the key under which it is known; null when no voice has that name. Throws 409 for a damaged clip. */
  async clip(name: string): Promise<{ key: string; sound: Sound; bytes: Buffer } | null> {
    const folder = this.#folderOf(name)
    if ((await readJson(join(folder, NOTE), Stored)) === null) return null
    const bytes = await readClip(folder)
    const sound = soundOf(bytes)
    if (sound === null)
      throw new HttpError(
        409,
        `The clip of voice '${name}' is missing or damaged. Delete the voice and register it again.`,
      )
    return { key: sha256(bytes), sound, bytes }
  }

  /** Keeps the clip as a 16-bit WAV file. Throws 409 when the name is taken. */
  async add(sound: Sound, details: VoiceDetails): Promise<ClonedVoice> {
    const folder = this.#folderOf(details.name)
    if ((await this.#read(folder)) !== null) throw nameTaken(details.name)
    const bytes = encodeWav(sound)
    const note: Stored = {
      name: details.name,
      language: details.language,
      original_filename: details.originalFilename,
      upload_date: new Date().toISOString(),
      median_f0_hz: details.medianF0,
      consent: details.consent,
      license: details.license,
      provenance: details.provenance,
      sha256: sha256(bytes),
    }
    // Made aside and moved in whole, so that a crash leaves no half voice.
    const aside = join(this.#folder, `${ASIDE}${randomUUID()}`)
    await mkdir(aside, { recursive: true })
    await replaceFile(join(aside, CLIP), bytes)
    await replaceFile(join(aside, NOTE), noteText(note))
    await rm(folder, { recursive: true, force: true })
    await rename(aside, folder)
    return (await this.#read(folder))!
  }

  /** Throws 404 for an unknown name and 409 when the new one is taken. */
  async rename(name: string, newName: string): Promise<ClonedVoice> {
    const folder = this.#folderOf(name)
    const voice = await this.#read(folder)
    if (voice === null) throw unknownVoice(name)
    const target = this.#folderOf(newName)
    if (target !== folder && (await this.#read(target)) !== null) throw nameTaken(newName)
    const note = (await readJson(join(folder, NOTE), Stored))!
    await replaceFile(join(folder, NOTE), noteText({ ...note, name: newName }))
    if (target !== folder) await rename(folder, target)
    return (await this.#read(target))!
  }

  /** Deletes clip and note from the disk and returns what was deleted. Throws 404 for an unknown name. */
  async remove(name: string): Promise<ClonedVoice> {
    const folder = this.#folderOf(name)
    const voice = await this.#read(folder)
    if (voice === null) throw unknownVoice(name)
    await rm(folder, { recursive: true })
    return voice
  }

  #folderOf(name: string): string {
    // Any text may be a name; none of it may be a path.
    return join(this.#folder, sha256(Buffer.from(name.normalize('NFC').toLowerCase())).slice(0, 32))
  }

  async #read(folder: string): Promise<ClonedVoice | null> {
    const note = await readJson(join(folder, NOTE), Stored)
    if (note === null) return null
    const clip = await readClip(folder)
    const sound = soundOf(clip)
    return {
      ...note,
      filename: CLIP,
      file_extension: '.wav',
      file_size: clip.length,
      aliases: [],
      exists: sound !== null,
      seconds: sound === null ? 0 : Number(durationSeconds(sound).toFixed(2)),
    }
  }
}

/** The 404 of a name that no voice has; `others` names voices that need no registration. */
export function unknownVoice(name: string, others = ''): HttpError {
  const message = `Voice '${name}' is unknown. GET /voices lists the registered ones. ${others}`.trimEnd()
  return new HttpError(404, message, {
    type: 'voice_not_found_error',
  })
}

function nameTaken(name: string): HttpError {
  return new HttpError(409, `Voice '${name}' already exists`, { type: 'voice_exists_error' })
}

/** Nothing where it is missing. */
const readClip = (folder: string): Promise<Buffer> => readFile(join(folder, CLIP)).catch(() => Buffer.alloc(0))

/** Sound of a clip; null where it is missing or damaged. */
function soundOf(clip: Buffer): Sound | null {
  try {
    return clip.length === 0 ? null : (decodeWav(clip)?.sound ?? null)
  } catch {
    return null
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
