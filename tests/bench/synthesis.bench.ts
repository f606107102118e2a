import { durationSeconds, joinSounds } from '../../providers/kit/audio/sound.ts'
import type { Sound } from '../../providers/kit/audio/sound.ts'
import { ModelStore } from '../../providers/kit/models/model-store.ts'
import { CHATTERBOX_WEIGHTS, ChatterboxEngine } from '../../providers/tts/engines/chatterbox/chatterbox-engine.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { KOKORO_WEIGHTS, KokoroEngine } from '../../providers/tts/engines/kokoro/kokoro-engine.ts'
import { ModelWeights } from '../../providers/kit/models/model-weights.ts'
import { isInstalled } from '../../providers/tts/engines/speech-engine.ts'
import type { CloningEngine, SpeechEngine } from '../../providers/tts/engines/speech-engine.ts'
import { VoiceFitEngine } from '../../providers/tts/engines/voice-fit/voice-fit-engine.ts'
import { Pronouncer } from '../../providers/tts/pronounce/pronouncer.ts'
import { shown } from './figure.ts'
import type { Figure } from './figure.ts'

const SENTENCES = [
  'Nine of the twelve reports describe the same campaign, and three others name a supplier in the north.',
  'She had your dark suit in greasy wash water all year, while both boys measured how deep the lake was.',
  'In 1984 the committee paid $3.50 for each copy, and Dr. Lee kept 212 of them.',
]
const { signal } = new AbortController()

/** Real-time factor of every engine that can speak here: seconds of work for a second of sound, after a first sentence. Weights are not fetched. */
export async function benchSynthesis(): Promise<Figure[]> {
  const flite = new FliteEngine()
  const store = new ModelStore()
  const plain: SpeechEngine[] = [flite, new KokoroEngine(new ModelWeights(store, KOKORO_WEIGHTS), flite.reader)]
  const cloning: CloningEngine[] = [
    new VoiceFitEngine(flite),
    new ChatterboxEngine(new ModelWeights(store, CHATTERBOX_WEIGHTS)),
  ]
  try {
    const clip = {
      key: 'clip',
      sound: joinSounds(
        [await synthesize(flite, 'awb', SENTENCES[0]!), await synthesize(flite, 'awb', SENTENCES[1]!)],
        0.2,
      ),
    }
    const figures = [await pronouncing(flite)]
    for (const engine of plain)
      figures.push(
        ...(await factor(engine, async () => {
          const sounds: Sound[] = []
          for (const text of SENTENCES) sounds.push(await synthesize(engine, engine.voices[0]!.id, text))
          return sounds
        })),
      )
    for (const engine of cloning)
      figures.push(...(await factor(engine, () => engine.speakLike(clip, SENTENCES, 1, signal))))
    return figures
  } finally {
    await Promise.all([...plain, ...cloning].map((engine) => engine.close()))
  }
}

const synthesize = (engine: SpeechEngine, voice: string, text: string): Promise<Sound> =>
  engine.speak({ text, voice, speed: 1 }, signal)

async function factor(engine: SpeechEngine | CloningEngine, speak: () => Promise<Sound[]>): Promise<Figure[]> {
  if (!(await isInstalled(engine)))
    return [
      shown(
        'F',
        `${engine.id}: not measured, its weights are not on this machine (bytes to fetch)`,
        (await engine.weights!.facts()).download_bytes!,
        '',
      ),
    ]
  const firstAt = performance.now()
  await speak()
  const begun = performance.now()
  const seconds = durationSeconds(joinSounds(await speak(), 0))
  return [
    shown('F', `${engine.id}: first three sentences, with loading`, (begun - firstAt) / 1000, 's'),
    shown('F', `${engine.id}: time to speak a second`, (performance.now() - begun) / 1000 / seconds, 's'),
  ]
}

/** Returns what finding pronunciations adds to each sentence of an engine that reads phonemes. */
async function pronouncing(flite: FliteEngine): Promise<Figure> {
  const pronouncer = new Pronouncer(flite.reader)
  await pronouncer.symbols('Ready.', signal)
  const begun = performance.now()
  for (const text of SENTENCES) await pronouncer.symbols(text, signal)
  return shown('F', 'pronunciation of a sentence', (performance.now() - begun) / SENTENCES.length, 'ms')
}
