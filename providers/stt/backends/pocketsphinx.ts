import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durationSeconds } from '../../kit/audio/sound.ts'
import type { Sound } from '../../kit/audio/sound.ts'
import { encodeWav } from '../../kit/audio/wav-file.ts'
import { modelCacheFolder } from '../../kit/models/cache-folder.ts'
import { Adaptations } from './adaptation/adaptations.ts'
import type { SphinxModel } from './adaptation/adaptations.ts'
import type { Recogniser, TimedWord } from './recogniser.ts'
import { runSphinx } from './run-sphinx.ts'

export const POCKETSPHINX_PROGRAM = 'pocketsphinx_continuous'
const WHOLE_PROGRAM = 'pocketsphinx_batch'

/** Where packages put the English model. */
const MODEL_FOLDERS = ['/usr/share', '/usr/local/share', '/opt/homebrew/share'].map((place) =>
  join(place, 'pocketsphinx/model/en-us'),
)
/**
 * Up to this length a recording is heard as a whole, with the mean of its own spectrum taken away first. The program for longer ones learns that mean
 * as it goes, and has not learned it before a question is over (docs/decisions/045).
 */
const WHOLE_SECONDS = 15
const FRAMES_PER_SECOND = 100

export interface PocketsphinxOptions {
  /** Where models adapted to prompts are kept. */
  cacheFolder?: string
}

/** The offline floor: the system's PocketSphinx programs with their English model. Small vocabulary errors are to be expected. */
export async function openPocketsphinx(options: PocketsphinxOptions = {}): Promise<Recogniser> {
  const silence: Sound = { samples: new Float32Array(4000), sampleRate: 16_000 }
  await hearAsItGoes(silence, [], new AbortController().signal)
  const folder = await modelFolder()
  const cacheFolder = options.cacheFolder ?? join(modelCacheFolder(process.env), '..', 'pocketsphinx')
  const adaptations = folder === null ? null : new Adaptations(cacheFolder, generalModel(folder))
  return {
    backend: 'pocketsphinx',
    model: 'pocketsphinx-en-us',
    license: 'BSD-2-Clause (CMU Sphinx)',
    device: 'cpu',
    languages: ['en'],
    isAligned: true,
    usesPrompt: adaptations !== null,
    windowSeconds: 60,
    async recognise(sound, signal, prompt = '') {
      const adapted = prompt === '' || adaptations === null ? null : await adaptations.for(prompt, signal)
      // The program for whole recordings has no model that it would take of itself.
      if (folder === null || durationSeconds(sound) > WHOLE_SECONDS)
        return hearAsItGoes(sound, adapted === null ? [] : modelArguments(adapted), signal)
      return hearWhole(
        sound,
        ['-hmm', join(folder, 'en-us'), ...modelArguments(adapted ?? generalModel(folder))],
        signal,
      )
    },
    async close() {
      // Each recognition is a process of its own and ends with it.
    },
  }
}

function generalModel(folder: string): SphinxModel {
  return { modelFile: join(folder, 'en-us.lm.bin'), dictionaryFile: join(folder, 'cmudict-en-us.dict') }
}

function modelArguments({ modelFile, dictionaryFile }: SphinxModel): string[] {
  return ['-lm', modelFile, '-dict', dictionaryFile]
}

/** The installed model's folder; null where it is not in a place that we know. */
async function modelFolder(): Promise<string | null> {
  for (const folder of MODEL_FOLDERS) {
    const { modelFile, dictionaryFile } = generalModel(folder)
    const there = await Promise.all(
      [modelFile, dictionaryFile].map((file) =>
        access(file).then(
          () => true,
          () => false,
        ),
      ),
    )
    if (there.every(Boolean)) return folder
  }
  return null
}

async function hearAsItGoes(sound: Sound, model: readonly string[], signal: AbortSignal): Promise<TimedWord[]> {
  return withFile(sound, async (folder, name) => {
    const file = join(folder, `${name}.wav`)
    const args = ['-infile', file, '-time', 'yes', '-logfn', '/dev/null', ...model]
    return timedLines(await runSphinx(POCKETSPHINX_PROGRAM, args, signal))
  })
}

async function hearWhole(sound: Sound, model: readonly string[], signal: AbortSignal): Promise<TimedWord[]> {
  return withFile(sound, async (folder, name) => {
    const [list, heard] = [join(folder, 'list'), join(folder, 'heard')]
    await writeFile(list, `${name}\n`)
    const input = ['-adcin', 'yes', '-adchdr', '44', '-cepdir', folder, '-cepext', '.wav', '-ctl', list]
    await runSphinx(WHOLE_PROGRAM, [...input, '-hypseg', heard, '-logfn', '/dev/null', ...model], signal)
    return timedSegments(await readFile(heard, 'utf8'))
  })
}

async function withFile<Result>(
  sound: Sound,
  hear: (folder: string, name: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-stt-'))
  try {
    await writeFile(join(folder, 'speech.wav'), encodeWav(sound))
    return await hear(folder, 'speech')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lines of word, start, end and probability. */
function timedLines(output: string): TimedWord[] {
  return output.split('\n').flatMap((line) => {
    const [, said, start, end] = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line) ?? []
    return said === undefined ? [] : spoken(said, Number(start), Number(end))
  })
}

/** One line: totals, then for each word its first frame, two scores and the word, and at the end the number of frames. */
function timedSegments(line: string): TimedWord[] {
  const [, body = ''] = / L -?\d+ (.*)$/s.exec(line.trim()) ?? []
  const found = [...body.matchAll(/(\d+) -?\d+ -?\d+ (\S+)(?= (\d+))/g)]
  return found.flatMap(([, start, said, end]) =>
    spoken(said!, Number(start) / FRAMES_PER_SECOND, Number(end) / FRAMES_PER_SECOND),
  )
}

/** Fillers and the number of a pronunciation are left out; the names of letters lose their dot. */
function spoken(said: string, start: number, end: number): TimedWord[] {
  if (/^[<[+]/.test(said)) return []
  return [{ text: said.replace(/\(\d+\)$/, '').replace(/^([a-z])\.$/, '$1'), start, end }]
}
