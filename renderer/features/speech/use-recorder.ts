import { useEffect, useState } from 'react'
import { NOT_RECORDING, OneRecording, type RecorderOptions, type RecorderView } from './one-recording.ts'
import { recordMicrophone } from './record-microphone.ts'

export interface Recorder extends RecorderView {
  start: () => void
  /** Ends the recording and hands it over; before it has begun, calls it off. */
  stop: () => void
}

interface Options extends RecorderOptions {
  /** The one of the moment of the start is called, so that the recording goes where it was begun. */
  onRecorded: (recording: Blob) => void
}

/** Records from the microphone after a countdown. */
export function useRecorder({ onRecorded, ...options }: Options): Recorder {
  const [view, setView] = useState(NOT_RECORDING)
  const [recording] = useState(() => new OneRecording(recordMicrophone, setView))
  // A user who leaves in the middle has not confirmed this recording.
  useEffect(() => () => recording.drop(), [recording])
  return { ...view, start: () => recording.start(options, onRecorded), stop: () => recording.stop() }
}
