import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { encodeWav } from '../../providers/kit/audio/wav-file.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { joinSpeech, splitSentences } from '../../providers/tts/text/spoken-sentences.ts'

/** Spoken notes of an invented farm school; plain words, so that a small recognizer can follow. Written by us. */
const NOTES: Readonly<Record<string, { voice: string; text: string }>> = {
  'monday-meeting': {
    voice: 'rms',
    text:
      'These are notes from the Monday meeting. The old bridge near the mill will close for repair in October. ' +
      'Peter Wood will lead the work. The repair will cost forty thousand dollars. The city pays half of the money. ' +
      'Until the bridge opens again, the school bus will take the river road.',
  },
  'garden-report': {
    voice: 'rms',
    text:
      'This is the garden report. The apple trees gave three hundred boxes of fruit this year. ' +
      'Last year they gave only two hundred boxes. Martha Stone sold most of the apples to the hospital kitchen. ' +
      'The old green house lost its roof in the winter storm. Students planted beans behind the church.',
  },
  'visit-to-the-mill': {
    voice: 'rms',
    text:
      'We went to see the paper mill. The mill belongs to Henry Lake. It was built by his grandmother. ' +
      'The water wheel stopped in the summer because the river was too low. ' +
      'Henry Lake wants to buy a new engine from a company in Boston. Forty people work at the mill.',
  },
  'phone-call': {
    voice: 'rms',
    text:
      'This is a note about a phone call. Doctor Green called from the hospital kitchen. ' +
      'She wants fresh bread every Friday morning. The baker is Susan Hill. ' +
      'Susan Hill can send eighty loaves of bread each week. She buys her flour from the water mill.',
  },
  'evening-thoughts': {
    voice: 'rms',
    text:
      'These are my thoughts this evening. Peter Wood is tired and may leave the project. ' +
      'His brother could take his place, because he built the stone wall around the school. ' +
      'If the bridge stays closed in the winter, then the baker must use the boat. The boat belongs to the church.',
  },
}

/** Writes the corpus of the rung `spoken_notes`; needs the program `opusenc`. */
async function makeSpokenNotes(folder: string): Promise<void> {
  const engine = new FliteEngine()
  const wave = join(tmpdir(), `spoken-note-${process.pid}.wav`)
  await mkdir(folder, { recursive: true })
  for (const [name, { voice, text }] of Object.entries(NOTES)) {
    const sounds = []
    for (const sentence of splitSentences(text, engine.maxCharacters)) {
      sounds.push(await engine.speak({ text: sentence, voice, speed: 0.95 }, new AbortController().signal))
    }
    await writeFile(wave, encodeWav(joinSpeech(sounds)))
    execFileSync('opusenc', ['--quiet', '--bitrate', '24', '--serial', '1', wave, join(folder, `${name}.opus`)])
  }
  await rm(wave, { force: true })
  await engine.close()
}

if (import.meta.main) await makeSpokenNotes(resolve('corpus/spoken_notes'))
