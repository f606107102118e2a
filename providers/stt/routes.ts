import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { MAX_PROMPT_CHARACTERS } from '../../contract/http/speech-prompt.ts'
import type { AdvancedTranscription, VerboseTranscription } from '../../contract/http/speech.ts'
import { decodeUpload } from '../kit/audio/decode-upload.ts'
import { HttpError } from '../kit/http-error.ts'
import { isForm, requiredFile } from '../kit/multipart-form.ts'
import { orFailed, type ServiceBoundary } from '../kit/service-boundary.ts'
import { parseRequest } from '../kit/validate.ts'
import { RECOGNIZER_RATE, type TimedWord } from './backends/recognizer.ts'
import type { SttConfig } from './config.ts'
import type { ModelHolder } from './model-holder.ts'
import { spokenSegments, spokenWords, textOf, transcriptEvents, verboseSegments, verboseWords } from './transcript.ts'
import { transcribeLong } from './windows/transcribe-long.ts'

/** As forms spell it; Python's clients send `True`. */
const Flag = z
  .string()
  .default('false')
  .transform((value) => value.trim().toLowerCase())
  .pipe(z.enum(['true', 'false', '1', '0', 'yes', 'no', '']))
  .transform((value) => ['true', '1', 'yes'].includes(value))

const Prompt = z.string().max(MAX_PROMPT_CHARACTERS).default('')

/** `verbose_json` gives times for these; OpenAI's default is segments. */
const Granularities = z.array(z.enum(['segment', 'word'])).default(['segment'])

const Fields = z.object({
  stream: Flag,
  timestamp_granularities: Granularities,
  response_format: z.enum(['json', 'verbose_json', 'text']).default('json'),
  language: z.string().max(32).optional(),
  model: z.string().max(200).optional(),
  prompt: Prompt,
})
const AdvancedFields = z.object({
  return_timestamps: Flag,
  word_timestamps: Flag,
  language: z.string().max(32).optional(),
  prompt: Prompt,
})

interface Transcribed {
  words: TimedWord[]
  /** Of the whole recording. */
  seconds: number
  /** Only for callers that sent a prompt: no recognizer here can use one. */
  used: Pick<AdvancedTranscription, 'prompt_used'>
}

/** `/v1/audio/transcriptions` and `/advanced`. */
export function registerTranscriptionRoutes(
  scope: FastifyInstance,
  boundary: ServiceBoundary,
  models: ModelHolder,
  config: SttConfig,
): void {
  const transcribe = (
    request: FastifyRequest,
    reply: FastifyReply,
    { language, prompt }: { language?: string | undefined; prompt: string },
  ) =>
    orFailed('Transcription failed', async (): Promise<Transcribed> => {
      const recognizer = models.get()
      refuseLanguage(language, recognizer.languages, recognizer.backend)
      const form = request.body
      if (!isForm(form)) throw new HttpError(415, 'Send the recording as multipart/form-data')
      const { bytes } = requiredFile(form, 'file', config.boundary.maxUploadBytes)
      return boundary.work(request, reply, async (signal) => {
        const task = { bytes, maxSeconds: config.maxAudioSeconds, sampleRate: RECOGNIZER_RATE }
        const { sound } = await decodeUpload(task, signal)
        const words = await transcribeLong(sound, recognizer, signal, { language: language ?? '' })
        const used = prompt.trim() === '' ? {} : { prompt_used: false }
        return { words, seconds: sound.samples.length / sound.sampleRate, used }
      })
    })

  scope.post('/v1/audio/transcriptions', boundary.upload, async (request, reply) => {
    const fields = parseRequest(Fields, fieldsOf(request))
    const { words, seconds, used } = await transcribe(request, reply, fields)
    const text = textOf(words)
    if (fields.stream) return reply.type('text/event-stream; charset=utf-8').send(transcriptEvents(words))
    if (fields.response_format === 'text') return reply.type('text/plain; charset=utf-8').send(text)
    if (fields.response_format === 'json') return { text }
    const { isAligned, languages } = models.get()
    const aligned = isAligned ? words : []
    const asked = fields.timestamp_granularities
    return {
      task: 'transcribe',
      language: fields.language || (languages?.length === 1 ? languages[0]! : 'unknown'),
      duration: Number(seconds.toFixed(3)),
      text,
      ...(asked.includes('segment') ? { segments: verboseSegments(aligned) } : {}),
      ...(asked.includes('word') ? { words: verboseWords(aligned) } : {}),
      ...used,
    } satisfies VerboseTranscription
  })

  scope.post('/v1/audio/transcriptions/advanced', boundary.upload, async (request, reply) => {
    const fields = parseRequest(AdvancedFields, fieldsOf(request))
    const { words, used } = await transcribe(request, reply, fields)
    const isAsked = fields.return_timestamps || fields.word_timestamps
    // Spread times are not aligned data.
    const aligned = models.get().isAligned ? words : []
    const answer: AdvancedTranscription = {
      text: textOf(words),
      has_timestamps: isAsked && aligned.length > 0,
      ...used,
    }
    if (fields.return_timestamps) answer.segments = spokenSegments(aligned)
    if (fields.word_timestamps) answer.words = spokenWords(aligned)
    return answer
  })
}

function fieldsOf(request: FastifyRequest): unknown {
  return isForm(request.body) ? { ...request.body.fields, ...request.body.lists } : {}
}

function refuseLanguage(language: string | undefined, known: readonly string[] | null, backend: string): void {
  if (known === null || language === undefined || language === '') return
  if (known.includes(language.toLowerCase().split(/[-_]/)[0]!)) return
  throw new HttpError(400, `Language "${language}" is unsupported: the backend ${backend} supports ${known.join(', ')}`)
}
