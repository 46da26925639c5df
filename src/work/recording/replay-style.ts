// How the replay looks.

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --ink: CanvasText; font: 14px/1.45 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr auto / 1fr 340px; background: Canvas; color: var(--ink); }
header { grid-column: 1 / 3; padding: 8px 14px; border-bottom: 1px solid var(--line); display: flex; gap: 12px; align-items: baseline; min-width: 0; }
header b { white-space: nowrap; }
header span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; opacity: .75; }
#stage { position: relative; overflow: hidden; background: #7773; min-width: 0; }
#stage p { padding: 20px; }
#player { position: absolute; transform-origin: 0 0; box-shadow: 0 2px 18px #0006; background: #fff; }
#player iframe { border: 0; display: block; background: #fff; }
aside { border-left: 1px solid var(--line); display: flex; flex-direction: column; min-height: 0; }
aside nav { display: flex; gap: 4px; padding: 8px; border-bottom: 1px solid var(--line); }
aside nav label { padding: 2px 8px; border: 1px solid var(--line); border-radius: 10px; font-size: 12px; cursor: pointer; }
ol { margin: 0; padding: 0; list-style: none; overflow: auto; flex: 1; }
li { padding: 5px 10px; border-bottom: 1px solid var(--soft); cursor: pointer; overflow-wrap: anywhere; font-size: 13px; }
li:hover { background: var(--soft); }
li.now { background: #4950f633; }
li.bad { color: #d33; }
li.console, li.request { font: 12px/1.4 ui-monospace, monospace; }
li time { opacity: .6; margin-right: 8px; font-variant-numeric: tabular-nums; }
footer { grid-column: 1 / 3; display: flex; gap: 10px; align-items: center; padding: 8px 14px; border-top: 1px solid var(--line); }
footer input[type=range] { flex: 1; }
footer output { font-variant-numeric: tabular-nums; min-width: 110px; text-align: right; }
button, select { font: inherit; padding: 3px 12px; }
.replayer-wrapper { position: relative; }
.replayer-mouse { position: absolute; width: 20px; height: 20px; pointer-events: none; z-index: 2; transition: left .05s linear, top .05s linear; }
.replayer-mouse:not([style]) { display: none; }
.replayer-mouse::before { content: ''; position: absolute; border: 7px solid transparent; border-left-color: #222; border-top-color: #222; }
.replayer-mouse::after { content: ''; position: absolute; width: 22px; height: 22px; margin: -11px; border-radius: 50%; background: #4950f6; opacity: .3; }
.replayer-mouse.active::after { animation: click .25s ease-in-out 1; }
.replayer-mouse-tail { position: absolute; pointer-events: none; }
@keyframes click { 50% { opacity: .8; transform: scale(.5); } }
`;
