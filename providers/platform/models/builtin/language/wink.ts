import { createRequire } from 'node:module'
import type { Document, ItsFunction, Model, PartOfSpeech, WinkMethods } from 'wink-nlp'

type WinkFactory = (model: Model, pipe?: string[]) => WinkMethods
type EnglishModel = Model & { addons: { stem: (word: string) => string } }

/** `partOfSpeech` and `lemma` must stay the library's own functions: they are distinguished by identity. */
type Wink = {
  readDoc: (text: string) => Document
  partOfSpeech: ItsFunction<PartOfSpeech>
  lemma: ItsFunction<string>
  /** True for a lower-case word that is in the model's English lexicon. */
  isLexeme: (word: string) => boolean
  stem: (word: string) => string
}

let loaded: Wink | null = null

/**
 * wink-nlp with its small English model: part-of-speech tags and a Snowball stemmer. Loaded at the first use (about
 * 0.2 s) and kept, so that a platform on other models never pays for it.
 */
export function wink(): Wink {
  if (loaded === null) {
    const require = createRequire(import.meta.url)
    const model = require('wink-eng-lite-web-model') as EnglishModel
    const methods = (require('wink-nlp') as WinkFactory)(model, ['sbd', 'pos'])
    const { pos: partOfSpeech, lemma } = methods.its as Pick<Wink, 'lemma'> & { pos: Wink['partOfSpeech'] }
    const lexicon = methods.readDoc('')
    loaded = {
      readDoc: (text) => methods.readDoc(text),
      partOfSpeech,
      lemma,
      isLexeme: (word) => !lexicon.isOOV(word),
      stem: model.addons.stem,
    }
  }
  return loaded
}
