import { Select } from '@mantine/core'
import { usePreferences } from '../../stores/preferences.ts'
import { useSpeakers } from './use-speakers.ts'
import { SPEAKERS_WORDS } from './speakers-words.ts'

const WORDS = SPEAKERS_WORDS.speakerSelect

/** Whose speech the recogniser is fitted to when it listens; absent while no speaker is enrolled. */
export function SpeakerSelect() {
  const { fitted, chosen } = useSpeakers()
  const setSpeaker = usePreferences((state) => state.setSpeaker)
  if (fitted.length === 0) return null
  return (
    <Select
      label={WORDS.speaker}
      description={WORDS.about}
      placeholder={WORDS.anySpeaker}
      maw={360}
      clearable
      clearButtonProps={{ 'aria-label': WORDS.anySpeaker }}
      data={fitted.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen?.id ?? null}
      onChange={setSpeaker}
    />
  )
}
