import { resample } from '../../../kit/audio/resample.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { processHost } from '../engine-host.ts'
import { EngineProgram } from '../engine-program.ts'
import { overWeights } from '../over-weights.ts'
import type { ModelWeights } from '../../../kit/models/model-weights.ts'
import type { CloningEngine } from '../speech-engine.ts'
import type { ChatterboxTask } from './chatterbox-worker.ts'

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
