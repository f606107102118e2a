import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf } from '../../../../core/json.ts'
import type { PreTrainedTokenizer } from '@huggingface/transformers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ModelDamagedError } from '../serve-engine.ts'

/** The encoder measures these in a clip, in the order of its outputs. */
export interface SpeakerTraits {
  condition: Tensor
  promptTokens: Tensor
  embedding: Tensor
  features: Tensor
}

/** The four networks of Chatterbox Turbo: encode a speaker, and speak a text as that speaker would. */
export interface Chatterbox {
  /** `samples` at 24 kHz. */
  listen(samples: Float32Array): Promise<SpeakerTraits>
  /** Samples at 24 kHz. Throws when the network does not come to an end. */
  speak(text: string, speaker: SpeakerTraits): Promise<Float32Array>
}

// The model's card gives these values and the order of the steps below.
const START_OF_SPEECH = 6561
const END_OF_SPEECH = 6562
const SILENCE = 4299n
const CLOSING_SILENCES = 3
const REPETITION_PENALTY = 1.2
/** Forty seconds: no sentence is as long, so a run that gets there has lost its way. */
const MAX_SPEECH_TOKENS = 1000

/** Loads the networks from a folder. Throws `ModelDamagedError`. */
export async function loadChatterbox(folder: string): Promise<Chatterbox> {
  try {
    const [tokenizer, encoder, embedder, language, decoder] = await Promise.all([
      loadTokenizer(folder),
      ...['speech_encoder', 'embed_tokens', 'language_model', 'conditional_decoder'].map((name) =>
        InferenceSession.create(join(folder, 'onnx', `${name}_q4.onnx`)),
      ),
    ])
    return chatterbox(tokenizer, { encoder: encoder!, embedder: embedder!, language: language!, decoder: decoder! })
  } catch (cause) {
    throw new ModelDamagedError(messageOf(cause), { cause })
  }
}

async function loadTokenizer(folder: string): Promise<PreTrainedTokenizer> {
  if (!existsSync(join(folder, 'tokenizer.json'))) throw new Error('tokenizer.json is missing')
  const { AutoTokenizer } = await import('@huggingface/transformers')
  return AutoTokenizer.from_pretrained(resolve(folder), { local_files_only: true })
}

interface Networks {
  encoder: InferenceSession
  embedder: InferenceSession
  language: InferenceSession
  decoder: InferenceSession
}

function chatterbox(tokenizer: PreTrainedTokenizer, networks: Networks): Chatterbox {
  const { encoder, embedder, language, decoder } = networks
  const embed = async (ids: readonly number[]): Promise<Tensor> => {
    const input_ids = new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length])
    return (await embedder.run({ input_ids }))[embedder.outputNames[0]!]!
  }
  return {
    async listen(samples) {
      const outputs = await encoder.run({ audio_values: new Tensor('float32', samples, [1, samples.length]) })
      const [condition, promptTokens, embedding, features] = encoder.outputNames.map((name) => outputs[name])
      if (features === undefined) throw new ModelDamagedError('the speech encoder gives fewer than four outputs')
      return { condition: condition!, promptTokens: promptTokens!, embedding: embedding!, features }
    },
    async speak(text, speaker) {
      const ids = tokenizer.encode(finished(text))
      const tokens = await speechTokens(language, embed, joined(speaker.condition, await embed(ids)))
      const prompt = speaker.promptTokens.data as BigInt64Array
      const all = [...prompt, ...tokens.map(BigInt), ...new Array<bigint>(CLOSING_SILENCES).fill(SILENCE)]
      const outputs = await decoder.run({
        speech_tokens: new Tensor('int64', BigInt64Array.from(all), [1, all.length]),
        speaker_embeddings: speaker.embedding,
        speaker_features: speaker.features,
      })
      return outputs[decoder.outputNames[0]!]!.data as Float32Array
    },
  }
}

/** The likeliest tokens one after the other, each one's chance lowered once it was chosen, up to the end of speech. */
async function speechTokens(
  language: InferenceSession,
  embed: (ids: readonly number[]) => Promise<Tensor>,
  start: Tensor,
): Promise<number[]> {
  const pastNames = language.inputNames.filter((name) => name.startsWith('past_key_values'))
  const presentNames = language.outputNames.filter((name) => name !== 'logits')
  let past = pastNames.map((name) => emptyPast(language, name))
  let input = start
  let length = 0
  const chosen = [START_OF_SPEECH]
  while (chosen.length <= MAX_SPEECH_TOKENS) {
    const width = input.dims[1]!
    const outputs = await language.run({
      inputs_embeds: input,
      attention_mask: new Tensor('int64', new BigInt64Array(length + width).fill(1n), [1, length + width]),
      position_ids: new Tensor(
        'int64',
        BigInt64Array.from({ length: width }, (_, i) => BigInt(length + i)),
        [1, width],
      ),
      ...Object.fromEntries(pastNames.map((name, i) => [name, past[i]!])),
    })
    length += width
    // Each step returns all tokens so far: what the step before held is freed at once, not when memory runs low.
    for (const tensor of past) tensor.dispose()
    past = presentNames.map((name) => outputs[name]!)
    const next = likeliest(outputs['logits']!, chosen)
    if (next === END_OF_SPEECH) return chosen.slice(1)
    chosen.push(next)
    input = await embed([next])
  }
  throw new Error(`the language model did not end its speech within ${MAX_SPEECH_TOKENS} tokens`)
}

/** A cache of nothing, in the shape that the network declares: batch × heads × 0 × width. */
function emptyPast(language: InferenceSession, name: string): Tensor {
  const declared = language.inputMetadata.find((input) => input.name === name)
  if (declared?.isTensor !== true || declared.type !== 'float32')
    throw new ModelDamagedError(`${name} of the language model is not a tensor of 32-bit floats`)
  const [, heads, , width] = declared.shape
  return new Tensor('float32', new Float32Array(0), [1, Number(heads), 0, Number(width)])
}

/** The last position's likeliest token. */
function likeliest(logits: Tensor, chosen: readonly number[]): number {
  const width = logits.dims.at(-1)!
  const scores = (logits.data as Float32Array).slice(-width)
  for (const token of new Set(chosen)) {
    const score = scores[token]!
    scores[token] = score < 0 ? score * REPETITION_PENALTY : score / REPETITION_PENALTY
  }
  return scores.reduce((best, score, token) => (score > scores[best]! ? token : best), 0)
}

/** Two sequences of vectors, one after the other. */
function joined(a: Tensor, b: Tensor): Tensor {
  const data = new Float32Array(a.size + b.size)
  data.set(a.data as Float32Array)
  data.set(b.data as Float32Array, a.size)
  return new Tensor('float32', data, [1, a.dims[1]! + b.dims[1]!, a.dims[2]!])
}

/** The network runs on after a text that does not end. */
function finished(text: string): string {
  const trimmed = text.trim()
  return /[.!?,;:)"'-]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
