import { Button, CloseButton, createTheme, Drawer, Modal, Tooltip } from '@mantine/core'

/**
 * Behaviour of the components. Colours, sizes and radii stand in base.css: Mantine would write them into a `<style>` element, which the
 * content-security policy forbids.
 */
export const theme = createTheme({
  primaryColor: 'blue',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' } }),
    // Of dialogs and notifications: an icon alone has no name.
    CloseButton: CloseButton.extend({ defaultProps: { ...{ 'aria-label': 'Close' } } }),
    // Scroll locking writes a `<style>` element as well.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, transitionProps: { duration: 120 } } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, transitionProps: { duration: 100 } } }),
  },
})
