import type { EngineVoice } from '../../../../contract/index.ts'
import { joinSounds } from '../../../kit/audio/sound.ts'
import type { Sound } from '../../../kit/audio/sound.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { Pronouncer } from '../../pronounce/pronouncer.ts'
import type { TextReader } from '../../pronounce/pronouncer.ts'
import { processHost } from '../engine-host.ts'
import { EngineProgram } from '../engine-program.ts'
import { overWeights } from '../over-weights.ts'
import type { ModelWeights } from '../../../kit/models/model-weights.ts'
import type { SpeechEngine, Utterance } from '../speech-engine.ts'
import type { KokoroTask } from './kokoro-worker.ts'

const voice = (id: string, name: string, gender: string): EngineVoice => ({ id, name, language: 'en', gender })

/** American voices only: the pronunciations are American. */
const KOKORO_VOICES: readonly EngineVoice[] = [
  voice('af_heart', 'Heart, American', 'female'),
  voice('af_bella', 'Bella, American', 'female'),
  voice('af_nicole', 'Nicole, American, whispering', 'female'),
  voice('am_michael', 'Michael, American', 'male'),
  voice('am_fenrir', 'Fenrir, American', 'male'),
  voice('am_puck', 'Puck, American', 'male'),
]
/** The network was trained on 512, of which two are silence at the ends. */
const MAX_SYMBOLS = 510

/** Kokoro-82M on the processor. Its pronunciations come from the CMU dictionary and Flite's rules, where others use a program under the GPL. */
export class KokoroEngine implements SpeechEngine {
  readonly id = 'kokoro'
  readonly aliases = ['onnx-community/Kokoro-82M-v1.0-ONNX', 'tts-1', 'tts-1-hd']
  readonly owner = 'hexgrad'
  readonly license = 'Apache-2.0'
  readonly description = 'Neural voices, natural and clear. English, American. Its weights are fetched once (95 MB).'
  readonly languages = ['en']
  readonly sampleRate = 24_000
  readonly voices = KOKORO_VOICES
  readonly maxCharacters = 400
  readonly weights: ModelWeights
  readonly #pronouncer: Pronouncer
  readonly #program = new EngineProgram<KokoroTask, Float32Array>(() =>
    processHost(moduleEntry('./kokoro-worker', import.meta.url)),
  )

  constructor(weights: ModelWeights, reader: TextReader) {
    this.weights = weights
    this.#pronouncer = new Pronouncer(reader)
  }

  async speak({ text, voice, speed }: Utterance, signal: AbortSignal): Promise<Sound> {
    const pieces = cutSymbols(await this.#pronouncer.symbols(text, signal))
    const sounds: Sound[] = []
    for (const symbols of pieces) {
      const samples = await overWeights(this, (folder) => this.#program.run({ folder, voice, symbols, speed }, signal))
      sounds.push({ samples, sampleRate: this.sampleRate })
    }
    return joinSounds(sounds, 0)
  }

  async close(): Promise<void> {
    await this.#program.close()
  }
}

/** Pieces that the network can take, cut between words: figures written out can make a sentence longer than its text. */
export function cutSymbols(symbols: string, longest = MAX_SYMBOLS): string[] {
  const pieces: string[] = []
  let rest = symbols
  while (rest.length > longest) {
    const space = rest.lastIndexOf(' ', longest)
    const at = space > 0 ? space : longest
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return [...pieces, rest]
}
