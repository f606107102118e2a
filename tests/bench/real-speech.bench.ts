import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resample } from '../../providers/kit/audio/resample.ts'
import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import { ModelStore } from '../../providers/kit/models/model-store.ts'
import { ModelWeights } from '../../providers/kit/models/model-weights.ts'
import { openModelRecognizer } from '../../providers/stt/backends/model-recognizer.ts'
import { openPocketsphinx } from '../../providers/stt/backends/pocketsphinx.ts'
import { ONNX_MODELS } from '../../providers/stt/backends/recognition-models.ts'
import { RECOGNIZER_RATE } from '../../providers/stt/backends/recognizer.ts'
import type { Recognizer } from '../../providers/stt/backends/recognizer.ts'
import { transcribeLong } from '../../providers/stt/windows/transcribe-long.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { KokoroEngine } from '../../providers/tts/engines/kokoro/kokoro-engine.ts'
import type { SpeechEngine } from '../../providers/tts/engines/speech-engine.ts'
import { normalizedWords } from '../helpers/normalize-english.ts'
import { declareFolder } from '../helpers/tiny-speech-models.ts'
import { wordErrors } from '../helpers/word-errors.ts'
import { writeKokoro } from '../real/kokoro-folder.ts'
import { realWeights } from '../real/weights.ts'
import { writeWhisper } from '../real/whisper-graphs.ts'
import { atMost, shown } from './figure.ts'
import type { Figure } from './figure.ts'
import { spokenSample } from './spoken-sample.ts'
import type { Recording } from './spoken-sample.ts'

const signal = new AbortController().signal
const FLITE_VOICE = 'slt'
const KOKORO_VOICE = 'af_heart'
/** Kokoro takes seconds for each sentence on a processor. */
const KOKORO_RECORDINGS = 5
const PAUSE_SECONDS = 0.6
const NOWHERE = 'http://127.0.0.1:9'

interface Rate {
  words: number
  errors: number
  soundSeconds: number
  hearingSeconds: number
}

/**
 * Word error rates on the 200 sentences of the sample, Whisper tiny.en against PocketSphinx, spoken by Flite, and of Whisper on a part of them
 * spoken by Kokoro. Both what was spoken and what was recognized go through the synthesiser's rules for numbers and abbreviations, so that "12"
 * counts as "twelve", and through one spelling.
 */
export async function benchRealSpeech(): Promise<Figure[]> {
  const [whisperWeights, kokoroWeights] = [await realWeights('whisper-tiny-en'), await realWeights('kokoro')]
  if (whisperWeights.folder === null) throw new Error(whisperWeights.reason)
  if (kokoroWeights.folder === null) throw new Error(kokoroWeights.reason)
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-real-speech-'))
  const flite = new FliteEngine()
  const figures: Figure[] = []
  // The process of a recognizer does not keep its parent alive.
  const alive = setInterval(() => undefined, 1000)
  try {
    await writeWhisper(whisperWeights.folder, join(folder, 'whisper'))
    await mkdir(join(folder, 'cache'))
    await writeKokoro(kokoroWeights.folder, join(folder, 'cache', 'kokoro'))
    const store = new ModelStore({ cacheFolder: join(folder, 'cache'), hub: NOWHERE, isOffline: true })
    const declared = await declareFolder(join(folder, 'cache', 'kokoro'), 'kokoro', NOWHERE)
    const kokoro = new KokoroEngine(new ModelWeights(store, declared), flite.reader)
    const { recognizer: whisper } = await openModelRecognizer({
      backend: 'onnx',
      model: ONNX_MODELS['whisper-tiny'],
      store,
      localFolder: join(folder, 'whisper'),
      device: 'cpu',
      sherpaFolder: null,
      signal,
      onProgress: () => undefined,
      meanwhile: '',
    })
    const sphinx = await openPocketsphinx()
    const { part: share, of: parts } = partOf(process.env['RAG_LADDER_BENCH_PART'])
    const sample = (await spokenSample()).filter((_, i) => i % parts === share - 1)
    for (const voice of [FLITE_VOICE]) {
      const { sounds } = await speakAll(flite, voice, sample)
      const plain = await rateOf(sphinx, sample, sounds, flite)
      const real = await rateOf(whisper, sample, sounds, flite)
      const sentences = sample.flatMap((recording) => recording.sentences).length
      const name = `Flite ${voice}, ${sentences} sentences, ${real.words} words`
      figures.push(
        shown('F', `${name}: wrong words of PocketSphinx`, plain.errors, ''),
        shown('F', `${name}: wrong words of Whisper tiny.en`, real.errors, ''),
        shown('F', `${name}: word error rate of PocketSphinx`, percent(plain), '%'),
        shown('F', `${name}: word error rate of Whisper tiny.en`, percent(real), '%'),
        atMost('F', `${name}: the second against the first`, real.errors / plain.errors, '', 0.5),
        shown('F', `${name}: PocketSphinx, time to transcribe a second`, factor(plain), 's'),
        shown('F', `${name}: Whisper tiny.en, time to transcribe a second`, factor(real), 's'),
        shown('F', `${name}: length of the sound`, real.soundSeconds, 's'),
      )
    }
    // Once is enough.
    const part = share === 1 ? sample.slice(0, KOKORO_RECORDINGS) : []
    for (const voice of part.length === 0 ? [] : [KOKORO_VOICE]) {
      const { sounds, seconds } = await speakAll(kokoro, voice, part)
      const soundSeconds = sounds.reduce((sum, sound) => sum + durationSeconds(sound), 0)
      const rate = await rateOf(whisper, part, sounds, flite)
      const name = `Kokoro ${voice}, ${part.length} questions, ${rate.words} words`
      figures.push(
        shown('F', `${name}: wrong words of Whisper tiny.en`, rate.errors, ''),
        shown('F', `${name}: word error rate of Whisper tiny.en`, percent(rate), '%'),
        shown('F', `${name}: length of the sound`, soundSeconds, 's'),
        shown('F', `${name}: time to speak a second`, seconds / soundSeconds, 's'),
        shown('F', `${name}: loudness (root mean square)`, loudness(sounds), ''),
      )
    }
    await Promise.all([whisper.close(), sphinx.close(), kokoro.close()])
    return figures
  } finally {
    clearInterval(alive)
    await flite.close()
    await rm(folder, { recursive: true })
  }
}

/**
 * `RAG_LADDER_BENCH_PART=2/5` takes the second of five parts, each with questions and texts: all recordings take half an hour on a busy machine. The
 * wrong words of the parts add up to those of all.
 */
function partOf(text = '1/1'): { part: number; of: number } {
  const [part, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number)
  if (part === undefined || of === undefined || part < 1 || part > of)
    throw new Error(
      `Invalid value for RAG_LADDER_BENCH_PART: expected a part and the number of parts as in 2/5, got ${text}.`,
    )
  return { part, of }
}

/** Each recording in a voice, and the time that took after a first word. */
async function speakAll(
  engine: SpeechEngine,
  voice: string,
  recordings: readonly Recording[],
): Promise<{ sounds: Sound[]; seconds: number }> {
  await engine.speak({ text: 'Ready.', voice, speed: 1 }, signal)
  const startedAt = performance.now()
  const sounds: Sound[] = []
  for (const { sentences } of recordings) {
    const parts: Sound[] = []
    for (const text of sentences) parts.push(await engine.speak({ text, voice, speed: 1 }, signal))
    sounds.push(joinSounds(parts, PAUSE_SECONDS))
  }
  return { sounds, seconds: (performance.now() - startedAt) / 1000 }
}

async function rateOf(
  recognizer: Recognizer,
  recordings: readonly Recording[],
  sounds: readonly Sound[],
  flite: FliteEngine,
): Promise<Rate> {
  const rate: Rate = { words: 0, errors: 0, soundSeconds: 0, hearingSeconds: 0 }
  for (const [i, { sentences }] of recordings.entries()) {
    const sound = resample(sounds[i]!, RECOGNIZER_RATE)
    const startedAt = performance.now()
    const recognized = await transcribeLong(sound, recognizer, signal)
    rate.hearingSeconds += (performance.now() - startedAt) / 1000
    rate.soundSeconds += durationSeconds(sound)
    const spoken = await spokenWords(flite, sentences.join(' '))
    rate.words += spoken.length
    rate.errors += wordErrors(spoken, await spokenWords(flite, recognized.map(({ text }) => text).join(' ')))
  }
  return rate
}

/** The words of a text as they are spoken, in one spelling. */
async function spokenWords(flite: FliteEngine, text: string): Promise<string[]> {
  if (text === '') return []
  return normalizedWords((await flite.words(text, 'slt', signal)).join(' '))
}

const percent = ({ errors, words }: Rate): number => (errors / words) * 100
const factor = ({ hearingSeconds, soundSeconds }: Rate): number => hearingSeconds / soundSeconds

function loudness(sounds: readonly Sound[]): number {
  const squares = sounds.map(({ samples }) => samples.reduce((sum, value) => sum + value * value, 0))
  const count = sounds.reduce((sum, { samples }) => sum + samples.length, 0)
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / count)
}
