import type { AudioView } from '../../app/search-params.ts'
import { plural } from '../../components/format.ts'

/** The texts of the tool Audio. */
export const SPEECH_WORDS = {
  page: {
    parts: 'Parts of Audio',
    views: [
      { value: 'transcribe', label: 'Transcribe' },
      { value: 'speak', label: 'Speak' },
      { value: 'voices', label: 'Voices' },
    ] satisfies { value: AudioView; label: string }[],
  },

  askByVoice: {
    needsQuestion: 'Record or type a question.',
    chooseAnApproach: 'Choose an approach.',
    askByVoice: 'Ask a question',
    evidence: 'Evidence',
    recordAQuestion: 'Record a question',
    listening: 'Listening …',
    datasetWords: 'Recognized with the words of this dataset.',
    question: 'Question',
    recognizedAbout: 'Type it, or record it and correct what was recognized',
    noWord: 'No word was recognized in the recording',
    approaches: 'Approaches',
    approachesAbout: 'Asked one after the other, so that their times can be compared',
    ask: (chosen: number) => `Ask ${plural(chosen, 'approach', 'approaches')}`,
    answersFrom: 'Answers come from what the last run of this dataset has ingested.',
    answers: 'Answers',
    answersTo: (question: string) => `Answers to “${question}”`,
    noQuestionYet: 'No question yet',
    emptyAbout: 'Each approach’s answer appears here with its time, to read and to listen to.',
    waits: '○ queued',
    asking: ' asking …',
    noAnswer: '▲ no answer',
    sameAnswer: (alias: string) => `Same answer as ${alias}`,
    hear: (alias: string) => `Play ${alias}`,
    emptyAnswer: 'The answer is empty: there is nothing to play.',
    theAnswerOf: (alias: string) => `the answer of ${alias}`,
  },

  recordButton: {
    stopRecording: 'Stop recording',
    cancel: 'Cancel',
    s: (seconds: string, maxSeconds: number) => `${seconds} / ${maxSeconds} s`,
    tooLoud: 'too loud',
    tooQuiet: 'too quiet',
    level: 'Level',
    db: (db: string, words: string) => `${db} dB, ${words}`,
  },

  serviceFault: {
    busy: ': it is still working on an earlier request. Try again when that is done.',
    seeLog: (service: string) => `See the log of ${service}`,
    tryAgain: 'Try again',
  },

  speakPanel: {
    example: 'The shortest answer is often the one that cites its source.',
    noService: 'This installation has no text to speech.',
    needsText: 'Type a text first.',
    voicesUnreadable: 'The registered voices could not be read.',
    voicesLoading: 'The registered voices are being read …',
    noVoice: 'This engine speaks in registered voices, and none is registered: ',
    makeOne: 'make one',
    textToSpeech: 'Text to speech',
    text: 'Text',
    engine: 'Engine',
    default: 'Default',
    notListedYet: 'Not listed yet',
    voice: 'Voice',
    noneIsRegistered: 'None is registered',
    tempoOf: (speed: string) => `Tempo ${speed}×`,
    tempo: 'Tempo',
    starting: 'Text to speech is starting …',
    startsOnUse: 'Engines and voices are listed once text to speech runs. It starts when you use it.',
    noEngine: 'No engine that can speak is listed.',
    speakTheText: 'Speak the text',
    theSpeech: 'the speech',
  },

  spectrogram: {
    spectrogramOf: (label: string) => `Spectrogram of ${label}`,
    scale: (label: string, scheme: string) => `${label}: 0 to 8 kHz, loud parts ${scheme}`,
  },

  transcribePanel: {
    speechToText: 'Speech to text',
    record: 'Record',
    chooseAFile: 'Choose a file',
    drop: 'Drop a recording here: WAV, MP3, FLAC, Opus, WebM',
    onlyFirst: (leftOut: number) => `◐ Only the first of ${plural(leftOut, 'file')} is taken: one at a time.`,
    theRecording: 'the recording',
    listening: ' Transcribing…',
    elapsed: (seconds: number) => `${seconds} s`,
    cancel: 'Cancel',
    by: (model: string) => `Transcribed by ${model}. Check names and numbers.`,
    chooseAnother: 'Other models are on the Services page.',
  },

  transcriptView: {
    noSpeech: 'No speech was recognized in this recording.',
    noTimes:
      'The configured recognizer gives no times: the words cannot be played one by one, and there are no subtitles.',
    copiedAs: (form: string) => `Copied as ${form}`,
    copying: 'Copying',
    copyAs: (form: string) => `Copy as ${form}`,
    transcript: 'Transcript',
    seconds: (start: string) => `${start} s`,
    toS: (start: string, end: string) => `${start} to ${end} s`,
  },

  waveform: {
    cannotPlay: (label: string) => `○ The browser cannot play ${label}.`,
    pause: 'Pause',
    play: 'Play',
    waveformOf: (label: string) => `Waveform of ${label}`,
  },
} as const
