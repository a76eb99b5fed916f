;;; breakwater-dape.el --- Breakwater for dape  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: MIT

;;; Commentary:
;; (load "breakwater-dape") after dape; then M-x dape, and
;;     breakwater :program "saxpy.s" :kernelOptions ["--grid" "64" "--group" "64"]
;; doc/editors.md says what can be done.

;;; Code:
(require 'dape)

(add-to-list 'dape-configs
             '(breakwater
               modes (asm-mode opencl-c-mode c-mode c++-mode c-ts-mode c++-ts-mode glsl-mode llvm-mode)
               ensure dape-ensure-command
               command "breakwater"
               command-args ("dap")
               command-cwd dape-command-cwd
               :type "breakwater"
               :request "launch"
               :program dape-buffer-default
               :kernelOptions []
               :stopOnEntry nil))

(add-to-list 'dape-configs
             '(breakwater-attach
               ensure dape-ensure-command
               command "breakwater"
               command-args ("dap")
               :type "breakwater"
               :request "attach"
               :pid (lambda () (read-number "Process: "))))

;; breakwater dap --port 4711 --token-file ~/.config/breakwater-token
(defvar breakwater-token-file "~/.config/breakwater-token"
  "The file with the token of the server that `breakwater-port' connects to.")

(add-to-list 'dape-configs
             '(breakwater-port
               host "127.0.0.1"
               port 4711
               :type "breakwater"
               :request "launch"
               :program dape-buffer-default
               :kernelOptions []
               :token (lambda ()
                        (with-temp-buffer
                          (insert-file-contents breakwater-token-file)
                          (string-trim (buffer-string))))
               :stopOnEntry nil))

(provide 'breakwater-dape)
;;; breakwater-dape.el ends here
