import { z } from 'zod'
import { DownloadProgress, ServiceModel } from './service-model.ts'

/** Formats of a synthesis. Only the first three need no program of the system. */
export const SpeechFormat = z.enum(['wav', 'flac', 'pcm', 'mp3', 'opus', 'aac'])
export type SpeechFormat = z.infer<typeof SpeechFormat>

/** Longest text of one synthesis, in characters. */
export const MAX_SPEECH_CHARACTERS = 20_000

/** Body of `POST /v1/audio/speech`. Fields of other products that have no meaning here are accepted and ignored. */
export const SpeechRequest = z.object({
  model: z.string().min(1).max(200).optional(),
  input: z.string().trim().min(1, 'The text is empty').max(MAX_SPEECH_CHARACTERS),
  voice: z.string().min(1).max(100).optional(),
  response_format: SpeechFormat.default('wav'),
  /** Factor on the tempo, in OpenAI's range; the pitch stays. A model that speaks less fast or slowly refuses it. */
  speed: z.coerce.number().min(0.25).max(4).default(1),
  /** Of the sound that is sent; the engine's own when absent. */
  sample_rate: z.coerce.number().int().min(8000).max(48_000).optional(),
  /** `sse`: the same bytes as server-sent events. */
  stream_format: z.enum(['audio', 'sse']).default('audio'),
})

/** A voice that an engine brings. */
export const EngineVoice = z.object({ id: z.string(), name: z.string(), language: z.string(), gender: z.string() })
export type EngineVoice = z.infer<typeof EngineVoice>

/** An entry of `GET /v1/models`. */
export const SpeechModel = ServiceModel.extend({
  created: z.int(),
  object: z.literal('model'),
  owned_by: z.string(),
  language: z.array(z.string()),
  task: z.literal('text-to-speech'),
  sample_rate: z.int(),
  voices: z.array(EngineVoice),
  license: z.string(),
  /** Holds what kind of speech to expect, for a person who chooses. */
  description: z.string(),
  /** Takes a registered or sent clip as its voice. */
  clones: z.boolean(),
})
export type SpeechModel = z.infer<typeof SpeechModel>

/** One fault or remark about a clip; `fatal` ones keep it from being registered. */
export const ClipFinding = z.object({ code: z.string(), message: z.string(), fatal: z.boolean() })
export type ClipFinding = z.infer<typeof ClipFinding>

/** Describes what was measured of a clip before it may become a voice. Levels in decibels of full scale, ratios from 0 to 1. */
export const ClipVerdict = z.object({
  ok: z.boolean(),
  findings: z.array(ClipFinding),
  seconds: z.number(),
  speech_level_db: z.number(),
  peak_db: z.number(),
  clipped_ratio: z.number(),
  silent_ratio: z.number(),
  signal_to_noise_db: z.number(),
  /** Median of the voiced frames; null when no voice was found. */
  median_f0_hz: z.number().nullable(),
})
export type ClipVerdict = z.infer<typeof ClipVerdict>

/** A registered voice. */
export const ClonedVoice = z.object({
  name: z.string(),
  filename: z.string(),
  original_filename: z.string(),
  file_extension: z.string(),
  file_size: z.int(),
  upload_date: z.iso.datetime(),
  language: z.string(),
  aliases: z.array(z.string()),
  exists: z.boolean(),
  seconds: z.number(),
  median_f0_hz: z.number().nullable(),
  /** Holds what the speaker agreed to, as stated when the clip was registered; null when nothing was stated. */
  consent: z.string().nullable(),
  license: z.string().nullable(),
  /** States where the clip comes from. */
  provenance: z.string().nullable(),
  sha256: z.string(),
})
export type ClonedVoice = z.infer<typeof ClonedVoice>

/** Answer of `GET /voices`. */
export const ClonedVoices = z.object({ voices: z.array(ClonedVoice), count: z.int() })

/** A word with its place in the sound, seconds. */
export const SpokenWord = z.object({ text: z.string(), start: z.number(), end: z.number(), duration: z.number() })
export type SpokenWord = z.infer<typeof SpokenWord>

/** A sentence with its words nested. */
export const SpokenSegment = z.object({
  id: z.int(),
  text: z.string(),
  start: z.number(),
  end: z.number(),
  duration: z.number(),
  words: z.array(SpokenWord),
})
export type SpokenSegment = z.infer<typeof SpokenSegment>

/**
 * A segment of `verbose_json`, with the fields that clients of OpenAI's API require. Only text, times and the compression ratio are measured: these
 * recognizers report no token ids and no probabilities, so `tokens` is empty and the other figures are 0.
 */
export const VerboseSegment = SpokenSegment.omit({ words: true }).extend({
  /** Start in hundredths of a second. */
  seek: z.int(),
  tokens: z.array(z.int()),
  temperature: z.number(),
  avg_logprob: z.number(),
  /** Bytes of the text over its bytes when deflated. */
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
})
export type VerboseSegment = z.infer<typeof VerboseSegment>

/** Answer of `POST /v1/audio/transcriptions` with `response_format=verbose_json`. */
export const VerboseTranscription = z.object({
  task: z.literal('transcribe'),
  /** The language asked for, else the only one that the model knows, else `unknown`. */
  language: z.string(),
  /** Seconds of the recording. */
  duration: z.number(),
  text: z.string(),
  segments: z.array(VerboseSegment).optional(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
  prompt_used: z.boolean().optional(),
})
export type VerboseTranscription = z.infer<typeof VerboseTranscription>

/** Answer of `POST /v1/audio/transcriptions/advanced`. */
export const AdvancedTranscription = z.object({
  text: z.string(),
  has_timestamps: z.boolean(),
  segments: z.array(SpokenSegment).optional(),
  words: z.array(SpokenWord).optional(),
  /** True when the recognizer used the prompt; absent where none was sent. */
  prompt_used: z.boolean().optional(),
})
export type AdvancedTranscription = z.infer<typeof AdvancedTranscription>

/** Answer of the speech-to-text service's `GET /health`. */
export const TranscriptionHealth = z.object({
  status: z.enum(['healthy', 'loading', 'unhealthy']),
  backend: z.string(),
  /** States where the model really runs. */
  device: z.string(),
  model: z.string(),
  model_loaded: z.boolean(),
  detail: z.string().nullable(),
  license: z.string().nullable(),
  progress: DownloadProgress.nullable(),
  /** True when a `prompt` changes what the recognizer transcribes; absent for external services. */
  uses_prompt: z.boolean().optional(),
  /** Another one where the same recording may be transcribed otherwise: another version, backend or model. Absent for external services and before the model is loaded. */
  revision: z.string().optional(),
})
export type TranscriptionHealth = z.infer<typeof TranscriptionHealth>
