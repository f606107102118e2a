import { serveEngine } from '../serve-engine.ts'
import { loadChatterbox, type Chatterbox, type SpeakerTraits } from './chatterbox-model.ts'

export interface ChatterboxTask {
  /** Holds the files of the declared model. */
  folder: string
  clip: { key: string; samples: Float32Array }
  text: string
}

const KEPT_SPEAKERS = 8

let loaded: { folder: string; model: Promise<Chatterbox> } | null = null
const speakers = new Map<string, Promise<SpeakerTraits>>()

/** Samples of the text in the clip's voice. What the encoder makes of a clip is kept: it costs more than a short sentence. */
async function speak({ folder, clip, text }: ChatterboxTask): Promise<Float32Array> {
  if (loaded?.folder !== folder) {
    speakers.clear()
    loaded = { folder, model: loadChatterbox(folder) }
  }
  const model = await loaded.model
  let speaker = speakers.get(clip.key)
  if (speaker === undefined) {
    speaker = model.listen(clip.samples)
    speakers.set(clip.key, speaker)
    if (speakers.size > KEPT_SPEAKERS) speakers.delete(speakers.keys().next().value!)
  }
  return model.speak(text, await speaker)
}

serveEngine(speak)
