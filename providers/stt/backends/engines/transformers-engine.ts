import type { TimedWord } from '../recognizer.ts'
import type { Engine, EngineOrder } from './engine.ts'
import { openOnDevice } from './onnx-device.ts'
import { spreadWords } from './words-of-pieces.ts'

const SAMPLE_RATE = 16_000
/** Moonshine's limit against repeating itself. The library counts whole seconds, which leaves one token to "yes" and cuts what is word last. */
const TOKENS_PER_SECOND = 6

/** The pipeline answers this where words are asked for with their times. */
interface TimedOutput {
  text: string
  chunks?: { text: string; timestamp: [number | null, number | null] }[]
}

/** Whisper and Moonshine as the transformers library runs them, from a local folder, in eight bits. Only Whisper gives times. */
export async function openTransformers({ folder, device: wanted }: EngineOrder): Promise<Engine> {
  const { env, pipeline, LogLevel } = await import('@huggingface/transformers')
  env.allowRemoteModels = false
  env.logLevel = LogLevel.ERROR
  const { model, device, note } = await openOnDevice(wanted, (provider) =>
    pipeline('automatic-speech-recognition', folder, {
      dtype: 'q8',
      device: provider,
      local_files_only: true,
    }),
  )
  const isWhisper = model.model.config.model_type === 'whisper'
  // English-only models refuse the parameter.
  const isMultilingual =
    (model.model.generation_config as { is_multilingual?: boolean } | null)?.is_multilingual === true
  return {
    device,
    note,
    isAligned: isWhisper,
    async recognize(samples, language) {
      const seconds = samples.length / SAMPLE_RATE
      const output = (await model(
        samples,
        isWhisper
          ? { return_timestamps: 'word', ...(isMultilingual ? { language: language.split(/[-_]/)[0] || 'en' } : {}) }
          : { max_new_tokens: Math.ceil(seconds) * TOKENS_PER_SECOND },
      )) as TimedOutput
      return isWhisper ? timedWords(output, seconds) : spreadWords(output.text, seconds)
    },
  }
}

/** Words within the window, in order and spaced as recognized: the library leaves an end open where the model never returned it. */
export function timedWords({ chunks = [] }: TimedOutput, seconds: number): TimedWord[] {
  return chunks.flatMap(({ text, timestamp: [from, to] }, i) => {
    const word = text.trim()
    if (word === '') return []
    const start = Math.min(from ?? 0, seconds)
    const end = Math.min(to ?? chunks[i + 1]?.timestamp[0] ?? seconds, seconds)
    const isAttached = i > 0 && !/^\s/.test(text) && !/\s$/.test(chunks[i - 1]!.text)
    return [{ text: word, start, end: Math.max(start, end), ...(isAttached ? { isAttached } : {}) }]
  })
}
