import type { EngineVoice } from '../../../../contract/http/speech.ts'
import { joinSounds, type Sound } from '../../../kit/audio/sound.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { hubFiles, hubPage, type DeclaredModel } from '../../../kit/models/declared-model.ts'
import type { ModelWeights } from '../../../kit/models/model-weights.ts'
import { moduleEntry } from '../../../kit/module-entry.ts'
import { Pronouncer, type TextReader } from '../../pronounce/pronouncer.ts'
import { processHost } from '../engine-host.ts'
import { EngineProgram } from '../engine-program.ts'
import { overWeights } from '../over-weights.ts'
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

const REPOSITORY = 'onnx-community/Kokoro-82M-v1.0-ONNX'
const REVISION = '1939ad2a8e416c0acfeecc08a694d14ef25f2231'
const VOICE_BYTES = 522_240

const voiceFile = (name: string, sha256: string) => ({ path: `voices/${name}.bin`, sizeBytes: VOICE_BYTES, sha256 })

/** Kokoro-82M with weights of 8 bits, its alphabet, and the voices that the engine offers. */
export const KOKORO_WEIGHTS: DeclaredModel = {
  id: REPOSITORY,
  license: 'Apache-2.0',
  sourcePage: hubPage(REPOSITORY),
  files: hubFiles(REPOSITORY, REVISION, [
    {
      path: 'onnx/model_quantized.onnx',
      sizeBytes: 92_361_116,
      sha256: 'fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478',
    },
    {
      path: 'tokenizer.json',
      sizeBytes: 3497,
      sha256: '77a02c8e164413299b4b4c403b14f8e0e1c1b727db4d46a09d6327b861060a34',
    },
    voiceFile('af_heart', 'd583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b'),
    voiceFile('af_bella', 'f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b'),
    voiceFile('af_nicole', 'cd2191ab31b914ed7b318416b0e4440fdf392ddad9106a060819aa600a64f59a'),
    voiceFile('am_michael', '1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1'),
    voiceFile('am_fenrir', 'c27989f741f7ee34d273a39d8a595cc0837d35f5ced9a29b7cc162614616df43'),
    voiceFile('am_puck', 'fcf73c989033e9233e0b98713eca600c8c74dcc1614b37009d5450ff4a2274a0'),
  ]),
}

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
    if (speed < 0.5 || speed > 2)
      throw new HttpError(400, `Model '${this.id}' speaks at a speed of 0.5 to 2, not ${speed}`)
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
