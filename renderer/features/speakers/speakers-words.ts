import { plural } from '../../components/format.ts'

/** The texts of the page Speakers. */
export const SPEAKERS_WORDS = {
  newSpeaker: {
    otherRecording: 'A sentence of another speaker is being recorded.',
    needsName: 'The speaker needs a name.',
    needsConsent: 'Tick the consent above.',
    consentRecord: (toISOString: string) =>
      `Confirmed in the panel on ${toISOString}: the speaker is the person at the panel or has agreed`,
    name: 'Name of the speaker',
    consent:
      'The speaker is me, or has agreed that recordings of the sentences, and a model made of them, are kept until the speaker is deleted here.',
    enrolTheSpeaker: 'Enrol the speaker',
  },

  readingView: {
    sentencesFor: (name: string) => `Sentences for ${name}`,
    allRead: 'Every sentence is read. Each can be read again.',
    sentenceOf: (place: number, sentences: number) => `Sentence ${place} of ${sentences}`,
    read: ', read',
    recordItAgain: 'Record it again',
    recordTheSentence: 'Record the sentence',
    back: 'Back',
    next: 'Next',
    skipIt: 'Skip it',
    keys: 'Space or Enter starts and stops. Read when the count is over.',
    readSentenceAgain: (place: number) => `Read sentence ${place} again`,
    listening: 'Listening …',
    sendItAgain: 'Send it again',
    saved: (place: number, heard: string, words: string) =>
      `Sentence ${place} is saved. Recognised: “${heard}”, ${words}.`,
  },

  speakerRow: {
    waitsForFit: ' Waits for the fitting to another speaker.',
    waitsForRecording: ' Waits for the recording of another speaker.',
    stopReading: 'Stop reading',
    readSentences: 'Read sentences',
    continueReading: 'Continue reading',
    as: (name: string) => ` as ${name}`,
    fitTheRecogniser: 'Fit the recogniser',
    to: (name: string) => ` to ${name}`,
    deleteForGood: 'Delete the recordings for good',
    delete: 'Delete',
    of: ' of',
    ofRead: (read: number, sentences: number) => `${read} of ${plural(sentences, 'sentence')} read`,
    enrolled: (created: string) => `, enrolled ${created}`,
    consentNotStated: ', consent not stated',
    tooFew: (missing: number) => `Not fitted: ${plural(missing, 'more sentence')} must be read first.`,
    enough: 'Not fitted yet: enough sentences are read.',
    fitting: 'The recogniser is being fitted. This takes a minute or two.',
    seconds: (value: number) => `${value} s`,
    fitted: (name: string) => `The recogniser was fitted to ${name}`,
    notBetter: (name: string) => `Fitting does not improve the recognition of ${name}; the recogniser is unchanged`,
  },

  speakerSelect: {
    speaker: 'Speaker',
    about: 'The recogniser is fitted to whom you choose',
    anySpeaker: 'Any speaker',
  },

  speakersPanel: {
    title: 'Speakers the recogniser knows',
    serviceList: 'The list of services',
    explanation: (least: number) =>
      `Read at least ${least} sentences aloud to fit the recogniser to your speech. The fit is measured on sentences that were kept out of it, and used only where it makes fewer errors.`,
    cannotFit: 'The recogniser cannot be fitted here',
    noSpeaker: 'No speaker is enrolled yet.',
    speakers: 'Speakers',
    starting: 'Speech to text is starting …',
    needsService: 'Speakers are listed while speech to text runs.',
    stt: (detail: string) => `stt: ${detail}. `,
    seeItsLog: 'See its log',
    start: 'Start speech to text',
  },
} as const
