import { resample } from '../../../kit/audio/resample.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { hubFiles, hubPage, type DeclaredModel } from '../../../kit/models/declared-model.ts'
import type { ModelWeights } from '../../../kit/models/model-weights.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { processHost } from '../engine-host.ts'
import { EngineProgram } from '../engine-program.ts'
import { overWeights } from '../over-weights.ts'
import type { CloningEngine } from '../speech-engine.ts'
import type { ChatterboxTask } from './chatterbox-worker.ts'

const REPOSITORY = 'ResembleAI/chatterbox-turbo-ONNX'
const REVISION = 'd21799bd0354adb85e348b8a0442a8405110a2cf'

const file = (path: string, sizeBytes: number, sha256: string) => ({ path, sizeBytes, sha256 })

/** Chatterbox Turbo with weights of 4 bits: its maker's own export. Each network has its weights in a file beside it. */
export const CHATTERBOX_WEIGHTS: DeclaredModel = {
  id: REPOSITORY,
  license: 'MIT',
  experimental: true,
  sourcePage: hubPage(REPOSITORY),
  files: hubFiles(REPOSITORY, REVISION, [
    file('tokenizer.json', 3_562_272, '3f04e34bea22f9144d1a19151154095bc9ce0430bf421304f5797e716288a906'),
    file('tokenizer_config.json', 414, '0d637373c70a54c3c7202c0c12b40ff4f346c329960283f5a88031717d73c66f'),
    file('onnx/speech_encoder_q4.onnx', 1_200_346, '37956c20b67bed85a0da4bc83509d67b5969a1b257d1c546516a5236a17ad71e'),
    file(
      'onnx/speech_encoder_q4.onnx_data',
      229_560_112,
      '58956db217c6443e49c91bdd54d7cf76b4a243f225c748b7bf746459fc27bc7d',
    ),
    file('onnx/embed_tokens_q4.onnx', 2844, 'fd6ba1d22902e8f539d3dd6d7c1c44b98ebb4c84ebbb5e47fcb826ddcf667561'),
    file(
      'onnx/embed_tokens_q4.onnx_data',
      37_286_384,
      'f54a51e234b509b64c3a03bb79e1149fba7e2eba6c2d9c222f18883379e1f5d8',
    ),
    file('onnx/language_model_q4.onnx', 274_572, 'b39d03d3f8b943b9e60c6fce3fb41191dbc1df4589f913291db1e214eef669b1'),
    file(
      'onnx/language_model_q4.onnx_data',
      204_456_572,
      '2c029dc0acf48752473d8c74c72b5ceaaad76b9886fe106eaf2022142d5b5d5e',
    ),
    file(
      'onnx/conditional_decoder_q4.onnx',
      2_179_022,
      'dccb7a6cea3472dc7f7d070eeb70ade18e6327fb4ec61a3d62cf211bfed90ea2',
    ),
    file(
      'onnx/conditional_decoder_q4.onnx_data',
      246_397_384,
      'b5c5317e0b79a1a19dd3d5e2b2091ea06b15716716ab801a54eaeb906c6971ec',
    ),
  ]),
}

/** Chatterbox Turbo on the processor: speaks like a clip that is new to it. */
export class ChatterboxEngine implements CloningEngine {
  readonly id = 'chatterbox-turbo'
  readonly aliases = ['ResembleAI/chatterbox-turbo-ONNX', 'chatterbox-tts-1']
  readonly owner = 'Resemble AI'
  readonly license = 'MIT'
  readonly description =
    'Neural clone of the clip: timbre, accent and manner. English. Slow on a processor; its weights are fetched once (725 MB). ' +
    'What it says carries no watermark. Experimental: it was never run on its real weights.'
  readonly languages = ['en']
  readonly sampleRate = 24_000
  readonly weights: ModelWeights
  readonly #program = new EngineProgram<ChatterboxTask, Float32Array>(() =>
    processHost(moduleEntry('./chatterbox-worker', import.meta.url)),
  )

  constructor(weights: ModelWeights) {
    this.weights = weights
  }

  /** Throws 400 for a tempo: the network has none. */
  async speakLike(
    clip: { key: string; sound: Sound },
    sentences: readonly string[],
    speed: number,
    signal: AbortSignal,
  ): Promise<Sound[]> {
    if (speed !== 1) throw new HttpError(400, `Model '${this.id}' speaks in the clip's tempo; leave speed at 1`)
    const { samples } = resample(clip.sound, this.sampleRate)
    const sounds: Sound[] = []
    for (const text of sentences) {
      const task = { clip: { key: clip.key, samples }, text }
      const spoken = await overWeights(this, (folder) => this.#program.run({ ...task, folder }, signal))
      sounds.push({ samples: spoken, sampleRate: this.sampleRate })
    }
    return sounds
  }

  /** Ends the process, and with it all that it knows of any clip. */
  async forget(): Promise<void> {
    await this.#program.close()
  }

  async close(): Promise<void> {
    await this.#program.close()
  }
}
