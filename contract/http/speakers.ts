import { z } from 'zod'

/** Fewest sentences that a recogniser is fitted to a speaker with. */
export const MIN_ENROLMENT_SENTENCES = 20

/** How the fitted recogniser heard sentences that were kept out of its fitting. */
export const SpeakerFit = z.object({
  created: z.iso.datetime(),
  /** Read by then. */
  sentences: z.int(),
  /** Whose sound matched their words, so that they were fitted to; where the fit is not used, of the first fitting alone, without those kept out. */
  matched_sentences: z.int(),
  /** Of the sentences kept out of a first fitting, which is judged by them. */
  checked_sentences: z.int(),
  checked_words: z.int(),
  /** Wrong words among them before, and by that first fitting. */
  errors_before: z.int(),
  errors_after: z.int(),
  /** Whether transcriptions use it: only where it heard better than before, and with the recogniser's own model as it was then. */
  used: z.boolean(),
})
export type SpeakerFit = z.infer<typeof SpeakerFit>

/** A person whose speech the recogniser can be fitted to. */
export const Speaker = z.object({
  id: z.string(),
  name: z.string(),
  created: z.iso.datetime(),
  /** What the speaker agreed to; null when nothing was stated. */
  consent: z.string().nullable(),
  /** Texts of the sentences read so far, in the order of reading. */
  read: z.array(z.string()),
  /** Of all recordings kept. */
  seconds: z.number(),
  /** Null until the recogniser was fitted. */
  fit: SpeakerFit.nullable(),
})
export type Speaker = z.infer<typeof Speaker>

/** Answer of `GET /v1/speakers`. */
export const Speakers = z.object({
  object: z.literal('list'),
  data: z.array(Speaker),
  /** Sentences to read aloud, in the order in which they serve best. */
  sentences: z.array(z.string()),
  min_sentences: z.int(),
  /** Why the recogniser cannot be fitted here and what to do; null when it can. */
  unavailable: z.string().nullable(),
})
export type Speakers = z.infer<typeof Speakers>

/** Body of `POST /v1/speakers`. */
export const NewSpeaker = z.object({
  name: z.string().trim().min(1).max(100),
  consent: z.string().trim().max(2000).optional(),
})
export type NewSpeaker = z.infer<typeof NewSpeaker>

/** Answer of `POST /v1/speakers/{id}/sentences`: what the recogniser, not fitted, made of the sentence. */
export const ReadSentence = z.object({
  speaker: Speaker,
  seconds: z.number(),
  heard: z.string(),
  words: z.int(),
  errors: z.int(),
})
export type ReadSentence = z.infer<typeof ReadSentence>
