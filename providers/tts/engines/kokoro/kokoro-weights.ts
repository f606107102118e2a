import { hubFiles, hubPage } from '../../../kit/models/declared-model.ts'
import type { DeclaredModel } from '../../../kit/models/declared-model.ts'

const REPOSITORY = 'onnx-community/Kokoro-82M-v1.0-ONNX'
const REVISION = '1939ad2a8e416c0acfeecc08a694d14ef25f2231'
const VOICE_BYTES = 522_240

const voice = (name: string, sha256: string) => ({ path: `voices/${name}.bin`, sizeBytes: VOICE_BYTES, sha256 })

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
    voice('af_heart', 'd583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b'),
    voice('af_bella', 'f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b'),
    voice('af_nicole', 'cd2191ab31b914ed7b318416b0e4440fdf392ddad9106a060819aa600a64f59a'),
    voice('am_michael', '1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1'),
    voice('am_fenrir', 'c27989f741f7ee34d273a39d8a595cc0837d35f5ced9a29b7cc162614616df43'),
    voice('am_puck', 'fcf73c989033e9233e0b98713eca600c8c74dcc1614b37009d5450ff4a2274a0'),
  ]),
}
