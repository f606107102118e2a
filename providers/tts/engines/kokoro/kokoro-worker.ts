import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../../core/json.ts'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ModelDamagedError, serveEngine } from '../serve-engine.ts'

export interface KokoroTask {
  /** Holds the files of the declared model. */
  folder: string
  voice: string
  /** At most 510 symbols. */
  symbols: string
  speed: number
}

const STYLE_WIDTH = 256
/** Silence at both ends, in the model's alphabet. */
const PAD = 0n
/** The names that exports of the network give to the same input: of onnx-community and of kokoro-onnx. */
const SYMBOL_INPUTS = ['input_ids', 'tokens']

interface Loaded {
  session: InferenceSession
  symbolsInput: string
  vocabulary: ReadonlyMap<string, number>
}

const models = new Map<string, Promise<Loaded>>()
const voices = new Map<string, Promise<Float32Array>>()

/** Samples of the symbols spoken. Throws `ModelDamagedError` for files that are not what they should be. */
async function speak({ folder, voice, symbols, speed }: KokoroTask): Promise<Float32Array> {
  const { session, symbolsInput, vocabulary } = await once(models, folder, () => load(folder))
  const style = await once(voices, join(folder, voice), () => readVoice(join(folder, 'voices', `${voice}.bin`)))
  // A symbol that this version of the model does not know is left out; it has no sound of its own.
  const ids = Array.from(symbols).flatMap((symbol) => vocabulary.get(symbol) ?? [])
  // A voice has one style vector for each length of an utterance.
  const row = Math.min(ids.length, style.length / STYLE_WIDTH - 1) * STYLE_WIDTH
  const outputs = await session.run({
    [symbolsInput]: new Tensor('int64', BigInt64Array.from([PAD, ...ids.map(BigInt), PAD]), [1, ids.length + 2]),
    style: new Tensor('float32', style.slice(row, row + STYLE_WIDTH), [1, STYLE_WIDTH]),
    speed: new Tensor('float32', [speed], [1]),
  })
  const samples = outputs[session.outputNames[0]!]?.data
  if (!(samples instanceof Float32Array)) throw new ModelDamagedError('the network returned no samples')
  return samples
}

async function load(folder: string): Promise<Loaded> {
  try {
    const session = await InferenceSession.create(join(folder, 'onnx', 'model_quantized.onnx'))
    const symbolsInput = session.inputNames.find((name) => SYMBOL_INPUTS.includes(name))
    if (symbolsInput === undefined) throw new Error(`the network has no input ${SYMBOL_INPUTS.join(' or ')}`)
    const tokenizer = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as {
      model: { vocab: Record<string, number> }
    }
    return { session, symbolsInput, vocabulary: new Map(Object.entries(tokenizer.model.vocab)) }
  } catch (cause) {
    throw new ModelDamagedError(messageOf(cause), { cause })
  }
}

async function readVoice(file: string): Promise<Float32Array> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new ModelDamagedError(`${file} cannot be read`, { cause })
  })
  if (bytes.length === 0 || bytes.length % (STYLE_WIDTH * 4) !== 0) {
    throw new ModelDamagedError(`${file} has ${bytes.length} bytes, which is not a whole number of style vectors`)
  }
  return new Float32Array(new Uint8Array(bytes).buffer)
}

/** A voice that was read once is kept; one that failed is read again. */
function once<Value>(kept: Map<string, Promise<Value>>, key: string, make: () => Promise<Value>): Promise<Value> {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made)
  made.catch(() => kept.delete(key))
  return made
}

serveEngine(speak)
