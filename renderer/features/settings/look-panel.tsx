import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { Panel } from '../../components/states.tsx'
import { usePreferences } from '../../stores/preferences.ts'
import styles from './settings.module.css'
import { SETTINGS_WORDS } from './settings-words.ts'

const WORDS = SETTINGS_WORDS.lookPanel

/** Light or dark, wide or dense; kept in this browser. */
export function LookPanel() {
  // Holding transitions back would write a `<style>` element, which the content-security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const { density, setDensity } = usePreferences()
  return (
    <Panel title={WORDS.look}>
      <div className={styles.look}>
        <SegmentedControl
          size="xs"
          aria-label={WORDS.colours}
          data={[
            { value: 'auto', label: WORDS.asTheSystem },
            { value: 'light', label: WORDS.light },
            { value: 'dark', label: WORDS.dark },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
        />
        <SegmentedControl
          size="xs"
          aria-label={WORDS.density}
          data={[
            { value: 'comfortable', label: WORDS.comfortable },
            { value: 'compact', label: WORDS.compact },
          ]}
          value={density}
          onChange={(value) => setDensity(value)}
        />
      </div>
    </Panel>
  )
}
