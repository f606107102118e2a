import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import type { EngineKind } from '../recognition-models.ts'
import { EngineMissingError, processorInstead, type Engine, type EngineOrder } from './engine.ts'
import { spreadWords, wordsOfPieces } from './words-of-pieces.ts'

const SAMPLE_RATE = 16_000
/** Length of a piece whose duration the model does not report. */
const PIECE_SECONDS = 0.08

/** No dependency: a person who wants it installs it. */
const SHERPA_PACKAGE = 'sherpa-onnx-node'
/** The version whose surface is used below. */
const SHERPA_VERSION = '1.13.8'

interface SherpaStream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void
}

interface SherpaResult {
  text: string
  tokens?: string[]
  timestamps?: number[]
  durations?: number[]
}

interface Sherpa {
  OfflineRecognizer: {
    createAsync(config: object): Promise<{
      createStream(): SherpaStream
      decodeAsync(stream: SherpaStream): Promise<SherpaResult>
    }>
  }
}

/**
 * Models as the sherpa-onnx library runs them. Its library carries a synthesiser under the GPL, so it is not part of this installation: a person
 * who wants it installs it, and it is loaded into a process of its own. It ends its process where a model is not to its liking.
 */
export async function openSherpa({ kind, folder, device, sherpaFolder }: EngineOrder): Promise<Engine> {
  const sherpa = loadSherpa(sherpaFolder ?? process.cwd())
  const recognizer = await sherpa.OfflineRecognizer.createAsync({
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    modelConfig: { ...(await modelConfig(kind, folder)), numThreads: 2, provider: 'cpu', debug: 0 },
    decodingMethod: 'greedy_search',
  })
  const isAligned = kind === 'sherpa-transducer' || kind === 'sherpa-ctc'
  return {
    device: 'cpu',
    note: processorInstead(device, `the published builds of ${SHERPA_PACKAGE} run on nothing else`),
    isAligned,
    async recognize(samples) {
      const stream = recognizer.createStream()
      stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE })
      const result = await recognizer.decodeAsync(stream)
      const seconds = samples.length / SAMPLE_RATE
      if (!isAligned) return spreadWords(result.text, seconds)
      const { tokens = [], timestamps = [], durations = [] } = result
      return wordsOfPieces(
        tokens.map((text, i) => {
          const start = timestamps[i] ?? 0
          const next = timestamps[i + 1] ?? seconds
          return { text, start, end: Math.min(next, start + Math.max(PIECE_SECONDS, durations[i] ?? 0)) }
        }),
      )
    },
  }
}

function loadSherpa(from: string): Sherpa {
  const require = createRequire(join(from, 'from-here.js'))
  try {
    return require(SHERPA_PACKAGE) as Sherpa
  } catch (cause) {
    throw new EngineMissingError(
      `the package ${SHERPA_PACKAGE} is not installed; it is not part of this installation because its library contains espeak-ng (GPL-3.0). ` +
        `To use it: npm install --prefix ${from} ${SHERPA_PACKAGE}@${SHERPA_VERSION}`,
      { cause },
    )
  }
}

/** The library's own names for the files of a model. */
async function modelConfig(kind: EngineKind, folder: string): Promise<object> {
  const at = (name: string) => join(folder, name)
  if (kind === 'sherpa-transducer')
    return {
      transducer: {
        encoder: at('encoder.int8.onnx'),
        decoder: at('decoder.int8.onnx'),
        joiner: at('joiner.int8.onnx'),
      },
      tokens: at('tokens.txt'),
      modelType: 'nemo_transducer',
    }
  if (kind === 'sherpa-ctc') return { nemoCtc: { model: at('model.onnx') }, tokens: at('tokens.txt') }
  if (kind === 'sherpa-moonshine')
    return {
      moonshine: {
        preprocessor: at('preprocess.onnx'),
        encoder: at('encode.int8.onnx'),
        uncachedDecoder: at('uncached_decode.int8.onnx'),
        cachedDecoder: at('cached_decode.int8.onnx'),
      },
      tokens: at('tokens.txt'),
    }
  const ending = (end: string, names: string[]) => at(names.find((name) => name.endsWith(end)) ?? end)
  const names = await readdir(folder)
  return {
    whisper: {
      encoder: ending('-encoder.int8.onnx', names),
      decoder: ending('-decoder.int8.onnx', names),
      language: 'en',
      task: 'transcribe',
    },
    tokens: ending('-tokens.txt', names),
  }
}
