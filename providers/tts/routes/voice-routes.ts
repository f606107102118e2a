import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { durationSeconds } from '../../kit/audio/sound.ts'
import { HttpError } from '../../kit/http-error.ts'
import { checkedFile, isForm, type FormFile, type MultipartForm } from '../../kit/multipart-form.ts'
import { orFailed, type ServiceBoundary } from '../../kit/service-boundary.ts'
import { InvalidRequestError, parseRequest } from '../../kit/validate.ts'
import type { CloningEngine } from '../engines/speech-engine.ts'
import { judgeClip } from '../voices/clip-verdict.ts'
import { unknownVoice, type VoiceStore } from '../voices/voice-store.ts'
import { readClip } from './speech-routes.ts'

/** A name that an address can carry: what could not be played, renamed or deleted is not registered. */
const VoiceName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => !/[/\\\p{Cc}]/u.test(name) && !/^\.+$/.test(name), {
    message: 'A voice name has no slash, backslash or control character and is more than dots',
  })
const Note = z.string().trim().max(2000).optional()

/** Fields of a registration; `voice_name` and `voice_file` are the other product's spelling of `name` and `file`. */
const Registration = z.object({
  name: VoiceName,
  language: z.string().trim().min(2).max(16).default('en'),
  consent: Note,
  license: Note,
  provenance: Note,
})
const NewName = z.object({ new_name: VoiceName })
const NamePath = z.object({ name: z.string().min(1).max(100) })

/** `/voices` and `/languages`: clips to speak like. */
export function registerVoiceRoutes(
  scope: FastifyInstance,
  boundary: ServiceBoundary,
  voices: VoiceStore,
  maxClipBytes: number,
  cloningEngines: readonly CloningEngine[],
  /** Names of the engines' own voices, in lower case. */
  builtIn: ReadonlySet<string>,
): void {
  // `voice` alone would then name two voices.
  const refuseBuiltIn = (name: string): void => {
    if (!builtIn.has(name.toLowerCase())) return
    throw new HttpError(409, `Voice '${name}' is built in. Choose another name.`, { type: 'voice_exists_error' })
  }

  scope.get('/voices', async () => {
    const list = await voices.list()
    return { voices: list, count: list.length }
  })

  scope.post('/voices', boundary.upload, async (request, reply) => {
    const form = formOf(request.body)
    const name = form.fields['name'] ?? form.fields['voice_name']
    const details = parseRequest(Registration, { ...form.fields, name })
    refuseBuiltIn(details.name)
    const file = clipFile(form, maxClipBytes)
    const voice = await orFailed('The voice could not be stored', () =>
      boundary.work(request, reply, async (signal) => {
        const sound = await readClip(file.bytes, signal)
        const verdict = judgeClip(sound)
        if (!verdict.ok) {
          const reasons = verdict.findings.filter(({ fatal }) => fatal).map(({ message }) => message)
          throw new HttpError(400, reasons.join(' '), { type: 'file_processing_error' })
        }
        return voices.add(sound, {
          name: details.name,
          language: details.language,
          originalFilename: file.filename.replaceAll('\\', '/').split('/').at(-1)!.slice(0, 255),
          medianF0: verdict.median_f0_hz,
          consent: details.consent || null,
          license: details.license || null,
          provenance: details.provenance || null,
        })
      }),
    )
    return reply.code(201).send({ message: `Voice '${voice.name}' registered`, voice })
  })

  scope.post('/voices/check', boundary.upload, async (request, reply) => {
    const file = clipFile(formOf(request.body), maxClipBytes)
    return orFailed('The clip could not be checked', () =>
      boundary.work(request, reply, async (signal) => judgeClip(await readClip(file.bytes, signal))),
    )
  })

  scope.get('/voices/:name', async (request) => {
    const { name } = parseRequest(NamePath, request.params, 'path')
    const voice = await voices.find(name)
    if (voice === null) throw unknownVoice(name)
    return voice
  })

  scope.get('/voices/:name/download', async (request, reply) => {
    const { name } = parseRequest(NamePath, request.params, 'path')
    const clip = await voices.clip(name)
    if (clip === null) throw unknownVoice(name)
    return reply.type('audio/wav').header('x-seconds', durationSeconds(clip.sound).toFixed(2)).send(clip.bytes)
  })

  scope.put('/voices/:name', async (request) => {
    const { name } = parseRequest(NamePath, request.params, 'path')
    const { new_name: newName } = parseRequest(NewName, request.body)
    refuseBuiltIn(newName)
    const voice = await voices.rename(name, newName)
    return { message: `Voice '${name}' renamed to '${newName}'`, voice_name: newName, voice }
  })

  scope.delete('/voices/:name', async (request) => {
    const { name } = parseRequest(NamePath, request.params, 'path')
    const { sha256 } = await voices.remove(name)
    await Promise.all(cloningEngines.map((engine) => engine.forget(sha256)))
    return { message: `Voice '${name}' deleted`, voice_name: name }
  })
}

function formOf(body: unknown): MultipartForm {
  if (isForm(body)) return body
  throw new HttpError(415, 'Send the clip as multipart/form-data')
}

function clipFile(form: MultipartForm, maxBytes: number): FormFile {
  const file = form.files.get('file') ?? form.files.get('voice_file')
  if (file !== undefined) return checkedFile(file, maxBytes)
  throw new InvalidRequestError([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }], ['file: required'])
}
