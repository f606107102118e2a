import type { FastifyInstance, FastifyRequest } from 'fastify'
import { SpeechRequest, type SpeechFormat } from '../../../contract/http/speech.ts'
import { decodeUpload } from '../../kit/audio/decode-upload.ts'
import { encodeAudio } from '../../kit/audio/encode-audio.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { checkedFile, isForm, type FormFile } from '../../kit/multipart-form.ts'
import { type ServiceBoundary, orFailed } from '../../kit/service-boundary.ts'
import { InvalidRequestError, parseRequest } from '../../kit/validate.ts'
import type { SpeechDesk } from '../speech-desk.ts'

const PATHS = ['/v1/audio/speech', '/v1/audio/speech/upload', '/audio/speech', '/audio/speech/upload', '/tts']
const MAX_CLIP_SECONDS = 120
/** A tenth of a second of silence, to see whether a format can be written. */
const TRIAL: Sound = { samples: new Float32Array(1600), sampleRate: 16_000 }

/** `POST /v1/audio/speech` and its other names: JSON, or a form that may bring a clip. */
export function registerSpeechRoutes(
  scope: FastifyInstance,
  boundary: ServiceBoundary,
  desk: SpeechDesk,
  maxClipBytes: number,
): void {
  for (const path of PATHS) {
    scope.post(path, boundary.upload, async (request, reply) => {
      const { fields, file } = readBody(request)
      const asked = parseRequest(SpeechRequest, fields)
      const clipFile = file === undefined ? null : checkedFile(file, maxClipBytes)
      const spoken = await orFailed('Speech synthesis failed', () =>
        boundary.work(request, reply, async (signal) => {
          // A synthesis may take minutes: for a format that cannot be written it is not begun.
          await encoded(TRIAL, asked.response_format)
          const clip = clipFile === null ? null : await readClip(clipFile.bytes, signal)
          const order = {
            input: asked.input,
            model: asked.model ?? null,
            voice: clip === null ? (asked.voice ?? null) : null,
            clip,
            speed: asked.speed,
            sampleRate: asked.sample_rate ?? null,
          }
          const { sound, unspoken } = await desk.speak(order, signal)
          return { ...(await encoded(sound, asked.response_format)), sampleRate: sound.sampleRate, unspoken }
        }),
      )
      // A text in another script is spoken in part only: the caller can see how much is missing.
      if (spoken.unspoken > 0) void reply.header('x-unspoken-letters', String(spoken.unspoken))
      if (asked.stream_format === 'sse')
        return reply
          .type('text/event-stream; charset=utf-8')
          .send(speechEvents(spoken.bytes, asked.response_format, spoken.sampleRate))
      return reply
        .type(spoken.type)
        .header('content-disposition', `attachment; filename="speech.${asked.response_format}"`)
        .send(spoken.bytes)
    })
  }
}

const EVENT_BYTES = 32_768

/** The encoded sound as server-sent events. This service counts no tokens, so the usage that clients read is 0. */
function speechEvents(bytes: Buffer, format: SpeechFormat, sampleRate: number): string {
  const pieces = Array.from({ length: Math.ceil(bytes.length / EVENT_BYTES) }, (_, index) => ({
    type: 'speech.audio.delta',
    audio: bytes.subarray(index * EVENT_BYTES, (index + 1) * EVENT_BYTES).toString('base64'),
  }))
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const events = [
    { type: 'speech.audio.info', response_format: format, sample_rate: sampleRate, channels: 1 },
    ...pieces,
    { type: 'speech.audio.done', usage },
  ]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** The sound of a sent clip. Throws 400 or 415 for what cannot be read. */
export async function readClip(bytes: Buffer, signal: AbortSignal): Promise<Sound> {
  const { sound } = await decodeUpload({ bytes, maxSeconds: MAX_CLIP_SECONDS, sampleRate: null }, signal)
  return sound
}

function readBody(request: FastifyRequest): { fields: unknown; file: FormFile | undefined } {
  const body: unknown = request.body
  if (!isForm(body)) return { fields: body, file: undefined }
  const fields = Object.fromEntries(Object.entries(body.fields).filter(([, value]) => value !== ''))
  return { fields, file: body.files.get('voice_file') }
}

/** Throws 422 where the encoder is missing, as for an unknown format: what is sent must be what was asked for. */
async function encoded(sound: Sound, format: SpeechFormat): Promise<{ bytes: Buffer; type: string }> {
  const written = await encodeAudio(sound, format)
  if (written !== null) return written
  const msg = `${format} needs the program ffmpeg, which is not installed; wav, flac and pcm are always there`
  throw new InvalidRequestError([{ loc: ['body', 'response_format'], msg, type: 'unsupported' }], [msg])
}
